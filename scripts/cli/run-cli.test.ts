import { defineCommand } from 'citty';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { UserError } from '../../packages/runtime/user-error.ts';
import { commonArgs } from './common-args.ts';
import { nearestName } from './nearest.ts';
import { parseWholeNumber } from './numbers.ts';
import { createOutput } from './output.ts';
import { runCli } from './run-cli.ts';

let [stdout, stderr] = ['', ''];

beforeEach(() => {
  [stdout, stderr] = ['', ''];
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((stdout += String(text)), true));
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((stderr += String(text)), true));
});
afterEach(() => vi.restoreAllMocks());

const greet = defineCommand({
  meta: { name: 'greet', description: 'greets' },
  args: {
    ...commonArgs,
    name: { type: 'positional', required: true },
    times: { type: 'string', alias: 't', default: '1' },
    loud: { type: 'boolean' },
  },
  run: ({ args }) => {
    const output = createOutput(args.json === true);
    output.note('greeting');
    output.document({ hello: args.name, times: args.times, loud: args.loud }, () => `hello ${args.name}`);
    return args.name === 'nobody' ? 1 : undefined;
  },
});
const fail = (error: unknown) =>
  defineCommand({
    args: commonArgs,
    run: () => {
      throw error;
    },
  });
const root = defineCommand({
  meta: { name: 'strata', description: 'test' },
  subCommands: {
    greet: async () => greet,
    refuse: fail(new UserError('no such run\nas x: name another', 3)),
    crash: fail(new TypeError('x is not a function')),
    offline: fail(new Error('query failed', { cause: Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }) })),
    flow: defineCommand({ meta: { name: 'flow', description: 'limits' }, subCommands: { get: async () => greet } }),
  },
});

test('an answer is text, or one JSON document with --json before or after the command', async () => {
  expect(await runCli(root, ['greet', 'you'])).toBe(0);
  expect([stdout, stderr]).toEqual(['hello you\n', 'greeting\n']);
  for (const words of [
    ['greet', 'you', '--json'],
    ['--json', 'greet', 'you'],
  ]) {
    [stdout, stderr] = ['', ''];
    expect(await runCli(root, words)).toBe(0);
    expect([JSON.parse(stdout), stderr]).toEqual([{ hello: 'you', times: '1' }, '']);
  }
});

test('the exit code is what the command answers', async () => {
  expect(await runCli(root, ['greet', 'nobody'])).toBe(1);
});

test.each([
  [['gret', 'you'], 'unknown command "gret": did you mean greet?'],
  [['flow', 'gett'], 'unknown command "flow gett": did you mean get?'],
  [['qqqqqqqq'], 'unknown command "qqqqqqqq": known are greet, refuse, crash, offline, flow'],
  [['toString'], 'unknown command "toString"'],
  [['greet', 'you', '--tims', '2'], 'unknown option --tims of "greet": did you mean --times?'],
  [['greet', 'you', '-x'], 'unknown option -x of "greet"'],
  [['greet', 'you', '--times'], 'option --times of "greet" needs a value'],
  [['greet', 'you', '--times', '--loud'], 'option --times of "greet" needs a value'],
  [['greet', 'you', 'and', 'me'], 'unexpected "and" after "greet"'],
  [['greet'], 'Missing required positional argument: NAME'],
  [['flow'], 'no command given'],
  [[], 'no command given'],
])('%j is refused with exit code 2', async (words, expected) => {
  expect(await runCli(root, words)).toBe(2);
  expect(stderr).toContain(expected);
  expect(stdout).toBe('');
});

test('values may follow an equals sign, be negative, or stand behind --', async () => {
  expect(await runCli(root, ['greet', 'you', '--times=3', '--no-loud', '--json'])).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ hello: 'you', times: '3', loud: false });
  stdout = '';
  expect(await runCli(root, ['greet', '--json', '-t', '-5', '--', '--you'])).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ hello: '--you', times: '-5' });
});

describe('a failure is one line on stderr', () => {
  test.each([
    ['refuse', 3, 'strata: no such run as x: name another\n'],
    ['crash', 1, 'strata: x is not a function; STRATA_DEBUG=1 shows where\n'],
    ['offline', 3, 'strata: a part of the stack does not answer (query failed): see `strata doctor`\n'],
  ])('%s ends with %i', async (name, code, line) => {
    expect(await runCli(root, [name])).toBe(code);
    expect([stdout, stderr]).toEqual(['', line]);
  });

  test('and with --json also the one document on stdout', async () => {
    expect(await runCli(root, ['refuse', '--json'])).toBe(3);
    expect(JSON.parse(stdout)).toEqual({ error: 'no such run as x: name another', exitCode: 3 });
  });
});

test('--help prints the usage without colours and exits 0', async () => {
  expect(await runCli(root, ['greet', '--help'])).toBe(0);
  expect(stdout).toContain('--times');
  // oxlint-disable-next-line no-control-regex
  expect(stdout).not.toMatch(/\u001B/);
});

test('a name that is far from all known ones is not guessed', () => {
  expect(nearestName('worker', ['up', 'down'])).toBeUndefined();
  expect(nearestName('wroker', ['up', 'worker'])).toBe('worker');
});

test.each(['', '-1', '1.5', '0x10', '1e2', ' 4', '65'])('the number "%s" is refused with the range', (text) => {
  expect(() => parseWholeNumber(text, { name: '--workers', from: 1, to: 64 })).toThrow('--workers must be a whole number from 1 to 64');
});
