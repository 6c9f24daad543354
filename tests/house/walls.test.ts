import { spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const house = mkdtempSync(join(tmpdir(), 'strata-walls-'));

const repeat = (count: number, line: (index: number) => string): string => Array.from({ length: count }, (_, index) => line(index)).join('\n');

/** What a wall refuses: the file, its text, the lint rule that must speak up. */
const REFUSED: readonly (readonly [file: string, rule: string, text: string])[] = [
  ['workflows/node.ts', 'eslint(no-restricted-imports)', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;`],
  ['workflows/bare-node.ts', 'eslint(no-restricted-imports)', `import { readFileSync } from 'fs';\nexport const x = readFileSync;`],
  ['workflows/pg.ts', 'eslint(no-restricted-imports)', `import pg from 'pg';\nexport const x = pg;`],
  ['workflows/client.ts', 'eslint(no-restricted-imports)', `import { Client } from '@temporalio/client';\nexport const x = Client;`],
  [
    'workflows/proxy.ts',
    'eslint(no-restricted-imports)',
    `import { proxyActivities } from '@temporalio/workflow';\nexport const x = proxyActivities;`,
  ],
  ['workflows/schema.ts', 'eslint(no-restricted-imports)', `import { x } from '../packages/contracts/eval.schema.ts';\nexport const y = x;`],
  ['packages/durable/zod.ts', 'eslint(no-restricted-imports)', `import { z } from 'zod';\nexport const x = z;`],
  ['packages/durable/worker.ts', 'eslint(no-restricted-imports)', `import { Worker } from '@temporalio/worker';\nexport const x = Worker;`],
  ['packages/durable/intl.ts', 'eslint(no-restricted-globals)', `export const x = new Intl.NumberFormat('en');`],
  ['packages/durable/weak.ts', 'eslint(no-restricted-globals)', `export const x = new WeakRef({});`],
  ['packages/durable/locale.ts', 'eslint(no-restricted-properties)', `export const x = (1).toLocaleString();`],
  ['packages/contracts/zod.ts', 'eslint(no-restricted-imports)', `import { z } from 'zod';\nexport const x = z;`],
  ['packages/contracts/sdk.ts', 'eslint(no-restricted-imports)', `import { log } from '@temporalio/workflow';\nexport const x = log;`],
  ['packages/database/sdk.ts', 'eslint(no-restricted-imports)', `import { Context } from '@temporalio/activity';\nexport const x = Context;`],
  ['packages/evals/disk.ts', 'eslint(no-restricted-imports)', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;`],
  ['bench/floor/house.ts', 'eslint(no-restricted-imports)', `import { x } from '../../packages/durable/units.ts';\nexport const y = x;`],
  ['bench/floor/node.ts', 'eslint(no-restricted-imports)', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;`],
  ['workers/sandbox.ts', 'eslint(no-restricted-imports)', `import { sleep } from '@temporalio/workflow';\nexport const x = sleep;`],
  ['activities/sandbox.ts', 'eslint(no-restricted-imports)', `import { sleep } from '@temporalio/workflow';\nexport const x = sleep;`],
  ['activities/default.ts', 'import(no-default-export)', `export default 1;`],
  ['activities/console.ts', 'eslint(no-console)', `console.log(1);\nexport const x = 1;`],
  ['activities/env.ts', 'node(no-process-env)', `export const x = process.env['X'];`],
  ['activities/any.ts', 'typescript(no-explicit-any)', `export const x: any = 1;`],
  ['activities/floating.ts', 'typescript(no-floating-promises)', `export function x(): void {\n  Promise.resolve(1);\n}`],
  ['activities/value.ts', 'typescript(consistent-type-imports)', `import { A } from './long.ts';\nexport const x = (a: A): A => a;`],
  ['activities/long.ts', 'eslint(max-lines)', `export type A = 1;\n${repeat(251, (index) => `export const x${index} = 1;`)}`],
  [
    'activities/tall.ts',
    'eslint(max-lines-per-function)',
    `export function x(): number {\n  let y = 0;\n${repeat(50, () => '  y += 1;')}\n  return y;\n}`,
  ],
  ['activities/wide.ts', 'eslint(max-params)', `export const x = (a: number, b: number, c: number, d: number): number => a + b + c + d;`],
  ['activities/many.ts', 'house(max-exports)', repeat(9, (index) => `export const x${index} = 1;`)],
  ['activities/ring-a.ts', 'import(no-cycle)', `import { b } from './ring-b.ts';\nexport const a = (): number => b();`],
  ['activities/ring-b.ts', 'import(no-cycle)', `import { a } from './ring-a.ts';\nexport const b = (): number => a();`],
  ['activities/one.test.ts', 'vitest(no-focused-tests)', `import { test } from 'vitest';\ntest.only('x', () => undefined);`],
];

/** One broken habit of workflow code per rule of the Temporal plugin. */
const HABITS: Readonly<Record<string, string>> = {
  'workflow-no-async-query-handler': `setHandler(defineQuery<number>('q'), async () => 1);`,
  'workflow-signal-handler-returns-void': `setHandler(defineSignal('s'), () => 5);`,
  'workflow-require-message-definitions-at-module-scope': `const inner = defineSignal('inner');\n  setHandler(inner, () => {});`,
  'workflow-no-busy-wait': `while (true) { if (count > 3) break; }`,
  'workflow-prefer-condition-over-polling': `while (count < 5) { await sleep('1 second'); }`,
  'workflow-no-continue-as-new-without-state-argument': `await continueAsNew();`,
  'workflow-patch-id-literal': `if (patched(name)) count += 1;`,
  'workflow-no-dynamic-import': `await import('./other.ts');`,
  'workflow-no-unsafe-global-mutation': `globalThis.name = 'x';`,
  'workflow-no-throw-raw-error': `throw new Error('raw');`,
  'workflow-prefer-sleep': `setTimeout(() => {}, 4);`,
  'workflow-no-setinterval': `setInterval(() => {}, 5);`,
  'workflow-no-network-in-workflow': `await fetch('http://x');`,
};

const habitFile = (rule: string): string => `packages/durable/${rule}.ts`;

const habitText = (body: string): string => `import * as sdk from '@temporalio/workflow';
import { continueAsNew, defineQuery, defineSignal, patched, setHandler, sleep } from '@temporalio/workflow';
export async function story(count: number, name: string): Promise<void> {
  ${body}
}
export const all = [sdk, continueAsNew, defineQuery, defineSignal, patched, setHandler, sleep];
`;

function write(file: string, text: string): void {
  mkdirSync(dirname(join(house, file)), { recursive: true });
  writeFileSync(join(house, file), text);
}

function run(tool: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, [join(root, 'node_modules', tool), ...args], { cwd: house, encoding: 'utf8' });
  return stdout + stderr;
}

beforeAll(() => {
  const configs = ['.oxlintrc.json', 'knip.json', 'package.json', 'tsconfig.base.json', 'scripts/checks/lint-plugin.ts'];
  const rooms = globSync(['*/tsconfig.json', '{packages,bench}/*/tsconfig.json'], { cwd: root });
  for (const file of [...configs, ...rooms]) cpSync(join(root, file), join(house, file));
  symlinkSync(join(root, 'node_modules'), join(house, 'node_modules'));
  write('packages/contracts/eval.schema.ts', `import { z } from 'zod';\nexport const x = z.string();`);
});

afterAll(() => rmSync(house, { recursive: true, force: true }));

describe('the linter', () => {
  let found: readonly { readonly filename: string; readonly code?: string }[] = [];
  const rulesAgainst = (file: string): (string | undefined)[] => found.filter(({ filename }) => filename === file).map(({ code }) => code);

  beforeAll(() => {
    for (const [file, , text] of REFUSED) write(file, `${text}\n`);
    for (const [rule, body] of Object.entries(HABITS)) write(habitFile(rule), habitText(body));
    found = (JSON.parse(run('oxlint/bin/oxlint', ['--format', 'json'])) as { diagnostics: typeof found }).diagnostics;
  });

  test.each(REFUSED)('refuses %s by %s', (file, rule) => {
    expect(rulesAgainst(file)).toContain(rule);
  });

  test.each(Object.keys(HABITS))('refuses what %s is about', (rule) => {
    expect(rulesAgainst(habitFile(rule))).toContain(`temporal(${rule})`);
  });

  test('lets a schema import zod', () => {
    expect(rulesAgainst('packages/contracts/eval.schema.ts')).toEqual([]);
  });
});

describe('the compiler', () => {
  test('refuses Node and unreferenced rooms in a room of the workflow side', () => {
    rmSync(join(house, 'packages/durable'), { recursive: true });
    cpSync(join(root, 'packages/durable/tsconfig.json'), join(house, 'packages/durable/tsconfig.json'));
    write('packages/database/pool.ts', `export const pool = 1;\nexport type Pool = typeof pool;\n`);
    write('packages/durable/room.ts', `import type { Pool } from '../database/pool.ts';\nexport const x: Pool = 1;\n`);
    write('packages/durable/node.ts', `import { readFileSync } from 'node:fs';\nexport const x = readFileSync;\nexport const y = process;\n`);
    const output = run('typescript/bin/tsc', ['-p', 'packages/durable', '--pretty', 'false']);
    expect(output).toMatch(/room\.ts.*error TS6307/);
    expect(output).toMatch(/node\.ts\(1.*error TS2591/);
    expect(output).toMatch(/node\.ts\(3.*error TS2591/);
  });

  // One import that carries Node's types, a test's for instance, would open the wall for the whole room.
  test.each(['bench/floor', 'packages/contracts', 'packages/durable', 'workflows'])('sees no types of Node in %s', (room) => {
    const listed = run('typescript/bin/tsc', ['-p', join(root, room), '--listFilesOnly']).split('\n');
    expect(listed.filter((file) => file.startsWith(join(root, room)))).not.toEqual([]);
    expect(listed.filter((file) => file.includes('@types/node/'))).toEqual([]);
  });
});

describe('knip', () => {
  test('refuses an export that nobody imports', () => {
    write('workers/main.ts', `import { used } from '../activities/half-used.ts';\nvoid used;\n`);
    write('activities/half-used.ts', `export const used = 1;\nexport const neverUsed = 2;\n`);
    const output = run('knip/bin/knip.js', ['--no-progress']);
    expect(output).toMatch(/neverUsed\s+activities\/half-used\.ts/);
    expect(output).not.toMatch(/\bused\s+activities\/half-used\.ts/);
  });
});
