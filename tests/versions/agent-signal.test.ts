import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { createFlowControlActivities } from '../../activities/flow-control.ts';
import { defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import { STRATA_DEPLOYMENT } from '../../packages/contracts/queues.ts';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import type { WorkflowBundleFile } from '../../packages/runtime/bundle.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createNamespace } from '../../packages/testing/namespace.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createActivities } from '../../workers/deps.ts';
import { createSignals, probeEvent } from '../agent-signal/signals.ts';
import type { Signals } from '../agent-signal/signals.ts';
import { pick, readChain } from '../pipelines/histories.ts';
import { createTemporalCli } from '../support/temporal-cli.ts';
import type { TemporalCli } from '../support/temporal-cli.ts';
import { makeCurrent } from './make-current.ts';

const VERSION_2 = fileURLToPath(new URL('fixtures/scope-version-2.ts', import.meta.url));
const SCOPES = ['topic:a', 'topic:b', 'topic:c'];
const EACH = 20;
const LIMITS = { idleMs: 4_000, continueAfterEvents: 1_000 };

let folder: string;
let rig: Rig;
let signals: Signals;
let temporal: TemporalCli;
let one: WorkflowBundleFile;
let two: WorkflowBundleFile;
/** `<version> <scope> <source id>` per handler call. */
const ran: string[] = [];

const policiesOf = (version: string) => () => [
  defineAgentSignalHandlers('versions', [
    defineSourceHandler({
      id: `versions.${version}`,
      on: 'probe.event',
      handle: ({ node, scope }) => {
        ran.push(`${version} ${scope.scopeKey} ${node.sourceId}`);
        return null;
      },
    }),
  ]),
];

beforeAll(async () => {
  const { bundlePath, buildId, temporalBinary, temporalAddress } = inject('strata');
  folder = await mkdtemp(join(tmpdir(), 'strata-versions-'));
  one = { buildId, codePath: bundlePath };
  two = await bundleWorkflows({ bundleDir: folder, workflowsPath: VERSION_2 });
  const namespace = await createNamespace(temporalAddress);
  temporal = createTemporalCli({ binary: temporalBinary, address: temporalAddress, namespace });
  // No replay at the end: runs of two versions have no one bundle that fits all.
  rig = await createRig({ namespace, workers: 0, replay: false, signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
});

afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

/** A version is its workflows and its handlers. */
const startVersion = ({ buildId, codePath }: WorkflowBundleFile, name: string) => {
  const deps = { ...rig.deps, signals: { ...rig.deps.signals, policies: policiesOf(name) } };
  const version = { deploymentName: STRATA_DEPLOYMENT, buildId };
  return rig.startWorker({
    activities: { ...createFlowControlActivities(deps), ...createActivities(deps) },
    workflowBundle: { codePath },
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
  });
};

const send = async (from: number, count = EACH): Promise<void> => {
  for (const scopeKey of SCOPES) for (let n = from; n < from + count; n++) await signals.enqueue(probeEvent(`n${n}`, {}, { scopeKey }));
};

const ranBy = (version: string, scopeKey: string): boolean => ran.some((line) => line.startsWith(`${version} ${scopeKey} `));

const firstRuns = new Map<string, string>();

describe('scopes that are open while changed handlers are deployed', () => {
  test('run on version 1, the current one', async () => {
    await startVersion(one, 'one');
    await makeCurrent(temporal, one.buildId);
    await send(1);
    for (const scopeKey of SCOPES) {
      await signals.ended(EACH, scopeKey);
      firstRuns.set(scopeKey, (await signals.scope(scopeKey).describe()).runId);
    }
    expect(new Set(ran.map((line) => line.split(' ')[0]))).toEqual(new Set(['one']));
  });

  test('continue as new on version 2 when events come, and lose nothing', async () => {
    expect(two.buildId).not.toBe(one.buildId);
    await startVersion(two, 'two');
    await makeCurrent(temporal, two.buildId);
    await send(1 + EACH);
    let sent = 2 * EACH;
    // The server tells a run of the new version with one of its next workflow tasks.
    await waitUntil({
      what: 'each scope on version 2',
      timeoutMs: 30_000,
      probe: async () => {
        if (SCOPES.every((scopeKey) => ranBy('two', scopeKey))) return true;
        await send(++sent, 1);
        for (const scopeKey of SCOPES) await signals.ended(sent, scopeKey);
        return false;
      },
    });
    const before = ran.length;
    await send(sent + 1);
    sent += EACH;
    for (const scopeKey of SCOPES) {
      const { done, failed } = await signals.ended(sent, scopeKey);
      expect({ done, failed }).toEqual({ done: sent, failed: 0 });
      expect(await signals.endOrder(scopeKey)).toEqual(Array.from({ length: sent }, (_, index) => `n${index + 1}`));
    }
    const each = ran.map((line) => line.slice(line.indexOf(' ') + 1));
    expect(each).toHaveLength(sent * SCOPES.length);
    expect(new Set(each).size).toBe(each.length);
    expect(ran.slice(before).filter((line) => !line.startsWith('two '))).toEqual([]);
  });

  test('have no workflow task of version 1 after the first one of version 2', async () => {
    for (const scopeKey of SCOPES) {
      const { workflowId } = signals.scope(scopeKey);
      await signals.scope(scopeKey).result();
      const builds = pick(await readChain(rig, workflowId, firstRuns.get(scopeKey) ?? ''), 'workflowTaskCompletedEventAttributes').map(
        ({ deploymentVersion }) => (deploymentVersion?.buildId === two.buildId ? 'two' : 'one'),
      );
      expect(builds.join(' ')).toMatch(/^one( one)*( two)+$/);
    }
  });
});
