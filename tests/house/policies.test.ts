import { globSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createPolicies } from '../../activities/policies/index.ts';
import type { PolicyDeps } from '../../activities/policies/deps.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSignalHandler, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import { addedSourceTypes, sourceTypes } from '../../packages/agent-signal/source-registry.schema.ts';
import { findMissingLinks } from '../../scripts/checks/policy-links.ts';
import type { PolicyTree } from '../../scripts/checks/policy-links.ts';

const root = join(import.meta.dirname, '../..');

test('no flow misses a link', () => {
  const folders = readdirSync(join(root, 'activities/policies'), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  );
  const tests = globSync('tests/{agent-signal,pipelines}/*.test.ts', { cwd: root }).map((file) => readFileSync(join(root, file), 'utf8'));
  // Policies connect to nothing before a handler runs.
  const bundles = createPolicies({ db: {}, model: null, isOnByDefault: true } as unknown as PolicyDeps);
  expect(findMissingLinks({ folders, bundles, sourceTypes, addedTypes: addedSourceTypes, tests })).toEqual([]);
});

describe('a missing link is named:', () => {
  const source = defineSourceHandler({ id: 'late.read', on: 'order.delayed', handle: () => null });
  const end = defineSignalHandler({ id: 'late.end', on: 'signal.action.applied:action.order.propose', handle: () => null });
  const action = defineActionHandler({ id: 'late.do', on: 'action.order.propose', handle: () => ({ status: 'applied', detail: 'done' }) });
  const whole: PolicyTree = {
    folders: ['late'],
    bundles: [defineAgentSignalHandlers('late', [source, end, action])],
    sourceTypes: ['order.delayed'],
    addedTypes: ['order.delayed'],
    tests: ["sourceType: 'order.delayed'"],
  };

  test('none in a whole flow', () => {
    expect(findMissingLinks(whole)).toEqual([]);
  });

  test.each<readonly [string, Partial<PolicyTree>]>([
    ['late: its policy has no line in activities/policies/index.ts', { bundles: [defineAgentSignalHandlers('other', [source, end, action])] }],
    ['order.delayed: no door knows this source type', { sourceTypes: [], addedTypes: [] }],
    ['order.delayed: no source handler takes it', { bundles: [defineAgentSignalHandlers('late', [end, action])], tests: ['late.end'] }],
    ['action.order.propose: a handler waits for its end', { bundles: [defineAgentSignalHandlers('late', [source, end])] }],
    ['late: no test names one of its handlers', { tests: ['something else'] }],
  ])('%s', (named, change) => {
    expect(findMissingLinks({ ...whole, ...change })).toEqual([expect.stringContaining(named)]);
  });
});
