import { sql } from '../../../packages/database/drizzle.ts';
import { expect } from 'vitest';
import { itemFailure } from '../../../activities/runner/failures.ts';
import type { ItemContext, ItemOutcome } from '../../../activities/runner/definition.ts';
import { waitUntil } from '../../../packages/runtime/wait-until.ts';
import { failureOf } from '../../pipelines/failure-of.ts';
import { chunkIdOf, played, SMALL_PLAN } from './scenario.ts';
import type { Played, Scenario, Theatre } from './scenario.ts';

const DONE: ItemOutcome = { kind: 'done' };
const refuse = (): never => {
  throw itemFailure('ProviderRefused', 'answered 400');
};
const falter = (): never => {
  throw itemFailure('ProviderUnavailable', 'answered 503', { retryable: true });
};

type Context = Pick<ItemContext<Record<never, never>>, 'itemId' | 'attempt'>;

const numberOf = ({ itemId }: Context): number => Number(itemId.slice(2));

const completed = async (theatre: Theatre, scope: string, expected: object): Promise<Played> => {
  const started = await theatre.probes.start(scope);
  expect(await theatre.probes.pipelines.result(started)).toMatchObject(expected);
  return played(theatre, `probe/${scope}`, started);
};

const ODD_IDS = ['org/42?x=1#f', 'a%2Fb', "x'y", 'n'.repeat(300), '🙂'.repeat(250), '| pipe | and `tick`', '"'.repeat(300), '\u0001'.repeat(300)];

/** Runs that reach their items and come to their own end. */
export const itemScenarios: readonly Scenario[] = [
  {
    keeps: ['probe/direct'],
    play: async (theatre) => {
      theatre.probes.declare('direct', { items: 4 });
      return [await completed(theatre, 'direct', { outcome: 'completed', succeeded: 4, direct: 4, chunks: 0 })];
    },
  },
  {
    keeps: ['probe/chunks', 'pipelineChunk/success'],
    play: async (theatre) => {
      theatre.probes.declare('chunks', { items: 14, plan: SMALL_PLAN });
      const parent = await completed(theatre, 'chunks', { outcome: 'completed', succeeded: 14, pages: 3, chunks: 4, direct: 2 });
      return [parent, played(theatre, 'pipelineChunk/success', { workflowId: chunkIdOf('chunks', 1, 2) })];
    },
  },
  {
    keeps: ['probe/item-retries'],
    play: async (theatre) => {
      theatre.probes.declare('item-retries', { items: 3, execute: async (item) => (numberOf(item) === 2 && item.attempt < 3 ? falter() : DONE) });
      return [await completed(theatre, 'item-retries', { outcome: 'completed', succeeded: 3 })];
    },
  },
  {
    keeps: ['probe/skipped'],
    play: async (theatre) => {
      theatre.probes.declare('skipped', {
        items: 3,
        execute: async (item) => (numberOf(item) === 2 ? { kind: 'skipped', reason: 'disabled' } : DONE),
      });
      return [await completed(theatre, 'skipped', { outcome: 'completed', succeeded: 2, skipped: 1 })];
    },
  },
  {
    keeps: ['probe/slice-retries'],
    play: async (theatre) => {
      const plan = { dispatch: 'slice', pageSize: 12, chunkSize: 6 } as const;
      theatre.probes.declare('slice-retries', {
        items: 18,
        plan,
        execute: async (item) => (numberOf(item) % 4 === 0 && item.attempt === 1 ? falter() : DONE),
      });
      return [await completed(theatre, 'slice-retries', { outcome: 'completed', succeeded: 18, failed: 0, direct: 18, chunks: 0 })];
    },
  },
  {
    keeps: ['probe/failures', 'pipelineChunk/failures', 'probe/redrive'],
    play: async (theatre) => {
      const { probes } = theatre;
      let isWell = false;
      const execute = async (item: Context): Promise<ItemOutcome> =>
        isWell ? DONE : numberOf(item) === 2 ? refuse() : numberOf(item) === 7 ? falter() : DONE;
      probes.declare('failures', { items: 8, plan: SMALL_PLAN, execute });
      const failures = await completed(theatre, 'failures', { outcome: 'completedWithFailures', succeeded: 6, failed: 2, direct: 2, chunks: 2 });
      isWell = true;
      const again = await probes.start('failures', { redriveOf: 'probe/failures' });
      expect(await probes.pipelines.result(again)).toMatchObject({ outcome: 'completed', toProcess: 2, succeeded: 2 });
      const chunk = played(theatre, 'pipelineChunk/failures', { workflowId: chunkIdOf('failures', 1, 1) });
      return [failures, chunk, played(theatre, 'probe/redrive', again)];
    },
  },
  {
    keeps: ['probe/threshold', 'pipelineChunk/stopped'],
    play: async (theatre) => {
      const { client } = theatre.probes.rig;
      const chunkId = chunkIdOf('threshold', 1, 2);
      const isStopped = async (): Promise<boolean> =>
        (await client.workflow.getHandle(chunkId).fetchHistory()).events?.some(
          ({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === 'stop',
        ) ?? false;
      const otherRuns = Promise.withResolvers<void>();
      const execute = async (item: Context): Promise<ItemOutcome> => {
        if (numberOf(item) <= 3) {
          await otherRuns.promise;
          return refuse();
        }
        otherRuns.resolve();
        await waitUntil({ what: 'the other chunk told to stop', timeoutMs: 20_000, probe: isStopped });
        return DONE;
      };
      theatre.probes.declare('threshold', { items: 6, plan: { ...SMALL_PLAN, maxConcurrency: 6 }, execute });
      const started = await theatre.probes.start('threshold', { failureThreshold: { count: 1 } });
      expect(await failureOf(theatre.probes.pipelines.result(started))).toMatchObject({ type: 'FailureThresholdExceeded' });
      return [played(theatre, 'probe/threshold', started), played(theatre, 'pipelineChunk/stopped', { workflowId: chunkId })];
    },
  },
  {
    keeps: ['probe/odd-ids', 'pipelineChunk/odd-ids'],
    play: async (theatre) => {
      const ids = sql.join(
        ODD_IDS.map((id, index) => sql`(${id}::text, ${index}::int)`),
        sql`, `,
      );
      const items = { query: sql`select v.item_id, v.sort_key from (values ${ids}) v(item_id, sort_key)`, sortType: 'integer' } as const;
      theatre.probes.declare('odd-ids', { items, plan: SMALL_PLAN });
      const parent = await completed(theatre, 'odd-ids', { outcome: 'completed', succeeded: ODD_IDS.length, chunks: 2 });
      return [parent, played(theatre, 'pipelineChunk/odd-ids', { workflowId: chunkIdOf('odd-ids', 1, 2) })];
    },
  },
];
