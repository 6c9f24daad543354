import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const node = (code: string) => ({ command: process.execPath, args: ['-e', code], output: 'kept', deadlineMs: 20_000 }) as const;

test('a program ends with its exit code and all that it printed', async () => {
  const end = await runCommand(node('console.log("out"); console.error("err"); process.exitCode = 3'));
  expect(end).toMatchObject({ exitCode: 3, isOverdue: false });
  expect(end.output.split('\n').sort()).toEqual(['', 'err', 'out']);
});

test('a program sees the variables that it is given', async () => {
  expect(await runCommand({ ...node('process.stdout.write(process.env.GREETING)'), env: { GREETING: 'hello' } })).toMatchObject({ output: 'hello' });
});

test('a program that outlives its deadline is interrupted and has not succeeded', async () => {
  const code = 'process.on("SIGINT", () => process.exit(0)); setInterval(() => {}, 1000)';
  expect(await runCommand({ ...node(code), deadlineMs: 500 })).toMatchObject({ exitCode: null, isOverdue: true });
});

test('a program that cannot be started is an error', async () => {
  await expect(runCommand({ ...node(''), command: 'no-such-program-here' })).rejects.toThrow('ENOENT');
});
