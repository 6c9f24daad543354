import type { ActivityFunction, LogMetadata } from '@temporalio/common';
import { noopMetricMeter } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPipelineActivities } from '../../activities/runner/create.ts';
import type { ItemContext, ItemOutcome } from '../../activities/runner/definition.ts';
import { itemFailure } from '../../activities/runner/failures.ts';
import { probeContract } from '../../packages/contracts/probe.ts';
import { probeSource } from '../../packages/database/probe-store.ts';
import { holdLocalLease } from '../../packages/testing/local-lease.ts';
import type { LocalLease } from '../../packages/testing/local-lease.ts';
import { createPipelineMeter } from '../../packages/observability/pipeline-meter.ts';
import { createTestDatabase, openTestRun } from '../../packages/testing/test-database.ts';
import type { TestDatabase } from '../../packages/testing/test-database.ts';

type Fields = (typeof probeContract)['fields'];
type Execute = (item: ItemContext<Fields>) => Promise<ItemOutcome>;

const WORKER = 'mock-worker';

let base: TestDatabase;
let lease: LocalLease;
let entries: { readonly level: string; readonly message: string; readonly meta: LogMetadata }[];

beforeEach(async () => {
  base = await createTestDatabase({ poolSize: 5 });
  lease = await holdLocalLease(base.pool, WORKER);
  entries = [];
});
afterEach(async () => {
  await lease.stop();
  await base.close();
});

/** Runs one activity of a run and keeps what it logs; a failure of it is what some of these tests are about. */
const call = async (verb: 'executeItem' | 'executeSlice', executeItem: Execute, logsItems = false): Promise<void> => {
  const run = await openTestRun(base.db, { scope: String(logsItems) });
  const logger = new DefaultLogger('DEBUG', ({ level, message, meta }) => void entries.push({ level, message, meta: meta ?? {} }));
  const deps = {
    db: base.db,
    identity: WORKER,
    record: () => undefined,
    isOwnerRunning: async () => true,
    msSinceClose: async () => null,
    flow: { prefix: '', tell: async () => undefined },
    logsItems,
  };
  const activities = createPipelineActivities<Fields>(
    probeContract,
    { eligible: ({ set }) => probeSource(set), executeItem },
    { ...deps, meter: createPipelineMeter(noopMetricMeter) },
  ) as Record<string, ActivityFunction>;
  const more = verb === 'executeItem' ? { itemId: 'a', timeoutMs: 5_000 } : { itemIds: ['a', 'b'], concurrency: 2, itemTimeoutMs: 5_000 };
  const environment = new MockActivityEnvironment({ activityType: `probe.${verb}` }, { logger });
  await environment.run(activities[`probe.${verb}`] as ActivityFunction, { run, dryRun: false, ...more }).catch(() => undefined);
};

const ofItems = (): string[] =>
  entries
    .filter(({ message }) => message.startsWith('[probe:execute'))
    .map(({ level, message, meta }) => `${level} ${message} ${String(meta['itemId'] ?? '')}`.trim());

describe.each(['executeItem', 'executeSlice'] as const)('%s', (verb) => {
  const whole = verb === 'executeItem' ? [] : ['DEBUG [probe:execute] Processing items:'];
  const ids = verb === 'executeItem' ? ['a'] : ['a', 'b'];

  test('says nothing of single items that go well, unless each is to be logged', async () => {
    await call(verb, async () => ({ kind: 'done' }));
    expect(ofItems()).toEqual(whole);
    entries = [];
    await call(verb, async () => ({ kind: 'done' }), true);
    const started = ofItems().filter((line) => line.includes('Starting with payload:'));
    expect(started).toEqual(ids.map((id) => `DEBUG [probe:execute] Starting with payload: ${id}`));
    expect(ofItems().filter((line) => line.includes('Completed:'))).toHaveLength(ids.length);
  });

  test('warns once of an item that failed for good, by type and message', async () => {
    await call(verb, async ({ itemId }) => {
      if (itemId === 'a') throw itemFailure('ProviderRefused', 'provider answered 400');
      return { kind: 'done' };
    });
    const warned = entries.filter(({ level }) => level === 'WARN');
    expect(warned.map(({ message }) => message)).toEqual(['[probe:execute:error] Item failed:']);
    expect(warned[0]?.meta).toMatchObject({ errorType: 'ProviderRefused', error: 'provider answered 400' });
    if (verb === 'executeSlice') expect(warned[0]?.meta).toMatchObject({ pipeline: 'probe', layer: 'execute', itemId: 'a' });
  });

  test('does not warn of an attempt after which the item comes again', async () => {
    await call(verb, () => Promise.reject(itemFailure('ProviderUnavailable', 'later', { retryable: true })));
    expect(entries.filter(({ level }) => level === 'WARN')).toEqual([]);
    expect(ofItems().filter((line) => line.startsWith('DEBUG [probe:execute:error] Attempt failed:'))).toHaveLength(ids.length);
  });
});
