import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { STRATA_DEPLOYMENT } from '../../packages/contracts/queues.ts';
import { bundleWorkflows } from '../../packages/runtime/bundle.ts';
import type { WorkflowBundleFile } from '../../packages/runtime/bundle.ts';
import type { StartAnswer } from '../../packages/runtime/pipeline-client.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createNamespace } from '../../packages/testing/namespace.ts';
import { pick, readChain } from '../pipelines/histories.ts';
import type { ChainedRun } from '../pipelines/histories.ts';
import { createTrialRig } from '../pipelines/trial.ts';
import type { TrialRig } from '../pipelines/trial.ts';
import { createTemporalCli } from '../support/temporal-cli.ts';
import type { TemporalCli } from '../support/temporal-cli.ts';
import { makeCurrent } from './make-current.ts';

const VERSION_2 = fileURLToPath(new URL('fixtures/version-2.ts', import.meta.url));
const ITEMS = 60;
const FREE = 10;

let folder: string;
let trial: TrialRig;
let temporal: TemporalCli;
let one: WorkflowBundleFile;
let two: WorkflowBundleFile;

beforeAll(async () => {
  const { bundlePath, buildId, temporalBinary, temporalAddress } = inject('strata');
  folder = await mkdtemp(join(tmpdir(), 'strata-versions-'));
  one = { buildId, codePath: bundlePath };
  two = await bundleWorkflows({ bundleDir: folder, workflowsPath: VERSION_2 });
  const namespace = await createNamespace(temporalAddress);
  temporal = createTemporalCli({ binary: temporalBinary, address: temporalAddress, namespace });
  // No replay at the end: runs of two versions have no one bundle that fits all.
  trial = await createTrialRig({}, { namespace, workers: 0, replay: false });
});

afterAll(async () => {
  await trial.rig.close();
  await rm(folder, { recursive: true, force: true });
});

const startVersion = async ({ buildId, codePath }: WorkflowBundleFile): Promise<void> => {
  const version = { deploymentName: STRATA_DEPLOYMENT, buildId };
  await trial.rig.startWorker({
    workflowBundle: { codePath },
    workerDeploymentOptions: { version, useWorkerVersioning: true, defaultVersioningBehavior: 'PINNED' },
  });
};

const readCurrent = async (): Promise<string> => {
  const answer = JSON.parse(await temporal('worker', 'deployment', 'describe', '--name', STRATA_DEPLOYMENT, '-o', 'json'));
  return answer.routingConfig.currentVersionBuildID;
};

const readDrainage = async ({ buildId }: WorkflowBundleFile): Promise<string> => {
  const words = ['worker', 'deployment', 'describe-version', '--deployment-name', STRATA_DEPLOYMENT, '--build-id', buildId, '-o', 'json'];
  return JSON.parse(await temporal(...words)).drainageInfo?.drainageStatus || 'not draining';
};

/** Build ids that completed the workflow tasks of a chain. */
const buildsOf = (chain: readonly ChainedRun[]): string[] => [
  ...new Set(pick(chain, 'workflowTaskCompletedEventAttributes').map(({ deploymentVersion }) => deploymentVersion?.buildId ?? 'none')),
];

const childIdsOf = (chain: readonly ChainedRun[]): string[] =>
  pick(chain, 'childWorkflowExecutionStartedEventAttributes').map(({ workflowExecution }) => workflowExecution?.workflowId ?? '');

describe('a run that is open while a changed version is deployed', () => {
  const gate = Promise.withResolvers<void>();
  let old: StartAnswer;

  test('starts on version 1, the current one', async () => {
    trial.declare('old', {
      items: ITEMS,
      plan: { pageSize: 10, chunkSize: 5, maxConcurrency: 4, chunksInFlight: 2, pagesAhead: 1, eventBudget: 40 },
      execute: async () => {
        if (trial.executed('old').length > FREE) await gate.promise;
        return { kind: 'done' };
      },
    });
    await startVersion(one);
    await makeCurrent(temporal, one.buildId);
    expect(await readCurrent()).toBe(one.buildId);
    old = await trial.start('old');
    await waitUntil({ what: 'items behind the gate', timeoutMs: 30_000, probe: async () => trial.executed('old').length > FREE });
  });

  test('keeps version 1 draining when version 2 becomes current, and a new run starts on 2', async () => {
    expect(two.buildId).not.toBe(one.buildId);
    await startVersion(two);
    await makeCurrent(temporal, two.buildId);
    expect(await readCurrent()).toBe(two.buildId);
    trial.declare('new', { items: 12, plan: { pageSize: 12, chunkSize: 6 } });
    const started = await trial.start('new');
    expect(await trial.pipelines.result(started)).toMatchObject({
      outcome: 'completed',
      succeeded: 12,
      chunks: 2,
      message: 'version 2: Processed 12 items',
    });
    const chain = await readChain(trial.rig, started.workflowId, started.runId);
    expect(buildsOf(chain)).toEqual([two.buildId]);
    await waitUntil({ what: 'version 1 draining', timeoutMs: 30_000, everyMs: 300, probe: async () => (await readDrainage(one)) === 'draining' });
  });

  test('finishes on version 1, though it continues as new and starts chunks meanwhile', async () => {
    const before = trial.executed('old').length;
    gate.resolve();
    expect(await trial.pipelines.result(old)).toMatchObject({ outcome: 'completed', succeeded: ITEMS, message: `Processed ${ITEMS} items` });
    const chain = await readChain(trial.rig, old.workflowId, old.runId);
    expect(chain.length).toBeGreaterThan(1);
    expect(trial.executed('old')).toHaveLength(ITEMS);
    expect(before).toBeLessThan(ITEMS / 2);
    expect(buildsOf(chain)).toEqual([one.buildId]);
    const children = childIdsOf(chain);
    expect(children).toHaveLength(ITEMS / 5);
    for (const child of children) {
      const { events } = await trial.rig.client.workflow.getHandle(child).fetchHistory();
      expect(buildsOf([{ runId: '', events: events ?? [], bytes: 0 }])).toEqual([one.buildId]);
    }
  });

  test('leaves version 1 drained: its workers may go', async () => {
    await waitUntil({ what: 'version 1 drained', timeoutMs: 60_000, everyMs: 500, probe: async () => (await readDrainage(one)) === 'drained' });
    expect(await readDrainage(two)).toBe('not draining');
  });
});
