import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { pipelineContracts } from '../../packages/contracts/index.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { createActivities, createDeps } from '../../workers/deps.ts';
import * as workflows from '../../workflows/index.ts';

const root = join(import.meta.dirname, '../..');
const VERBS = Object.keys({
  preflight: true,
  countEligible: true,
  listPage: true,
  executeItem: true,
  executeSlice: true,
  readProgress: true,
  finalize: true,
} satisfies Record<keyof PipelineActivities, true>);

// Nothing connects before the first use.
const deps = createDeps({
  identity: 'registry-test',
  databaseUrl: 'postgres://nobody@127.0.0.1:1/none',
  databasePoolSize: 1,
  environment: {},
  flow: { prefix: '', tell: () => Promise.resolve() },
  msSinceClose: () => Promise.resolve(null),
  signals: () => ({
    limits: SIGNAL_LIMITS,
    isOnByDefault: true,
    model: null,
    wake: () => Promise.resolve(),
    sweep: () => Promise.resolve({}),
    isRunning: () => Promise.resolve(false),
  }),
  onError: () => undefined,
});
const activityNames = Object.keys(createActivities(deps));
afterAll(() => deps.close());

const findRepeated = (names: readonly string[]): string[] => names.filter((name, index) => names.indexOf(name) !== index);

describe.each(pipelineContracts)('the pipeline $entity', ({ type, entity, smokeInput, description }) => {
  test('has a workflow export of its name', () => {
    expect(workflows).toHaveProperty(type, expect.any(Function));
  });

  test('has its whole activity set', () => {
    expect(activityNames).toEqual(expect.arrayContaining(VERBS.map((verb) => `${type}.${verb}`)));
  });

  test('has its three files and its test, all of one name', () => {
    const files = [`packages/contracts/${entity}.ts`, `activities/${entity}.ts`, `workflows/${entity}.ts`, `tests/pipelines/${entity}.test.ts`];
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([]);
  });

  test('has a type that is its entity in camelCase, a sentence, and an input to try it with', () => {
    expect(type).toBe(entity.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase()));
    expect(description).toMatch(/^[A-Z].+\.$/);
    expect(Object.keys(smokeInput)).not.toEqual([]);
  });
});

describe('the registries', () => {
  const types = pipelineContracts.map(({ type }) => type);

  test('hold no name twice', () => {
    expect(findRepeated(types)).toEqual([]);
    expect(findRepeated(pipelineContracts.map(({ entity }) => entity))).toEqual([]);
    expect(findRepeated(activityNames)).toEqual([]);
  });

  test('are sorted', () => {
    expect(types).toEqual([...types].sort());
  });

  test('register no activity of a pipeline that has no contract', () => {
    const owners = activityNames.filter((name) => name.endsWith('.executeItem')).map((name) => name.replace('.executeItem', ''));
    expect(owners.sort()).toEqual(types);
  });

  test('end in the catch-all for unknown workflow types', () => {
    expect(workflows).toHaveProperty('default', expect.any(Function));
  });
});
