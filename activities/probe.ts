import { setTimeout as delay } from 'node:timers/promises';
import { probeContract } from '../packages/contracts/probe.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import type { PipelineInput } from '../packages/contracts/fields.ts';
import type { LayerLimit } from '../packages/contracts/limits.ts';
import type { RunPlan } from '../packages/contracts/run-plan.ts';
import type { Database, Executor } from '../packages/database/database.ts';
import { isQuickProbe } from '../packages/database/probe-sets.ts';
import { recordProbeEnd, recordProbeStart, recordProbeWhole } from '../packages/database/probe-executions.ts';
import { probeSource } from '../packages/database/probe-store.ts';
import { createPipelineActivities } from './runner/create.ts';
import type { RunnerDeps } from './runner/definition.ts';
import type { RunFlow } from './runner/flow-door.ts';
import { itemFailure } from './runner/failures.ts';

export type ProbeDeps = RunnerDeps;

type ProbeFields = (typeof probeContract)['fields'];

/** `probe` is unlimited in all layers unless its input says otherwise; a key without numbers has the limit that an operator gives it. */
export const probeFlow = ({ parallelism, ratePerSecond, flowKey }: PipelineInput<ProbeFields>): RunFlow => ({
  ...(parallelism === undefined && ratePerSecond === undefined
    ? {}
    : { limits: { execute: { ...(parallelism && { parallelism }), ...(ratePerSecond && { ratePerSecond }) } as LayerLimit } }),
  ...(flowKey === undefined ? {} : { keys: { execute: flowKey } }),
});

const KNOWN_RUNS = 100;

/** Whether no item of a run's set takes time or fails; asked once a run, so that the trial measures the runner and not the question. */
const createQuickCheck = (db: Database) => {
  const known = new Map<string, Promise<boolean>>();
  const ask = (run: string, set: string): Promise<boolean> => {
    const asked = isQuickProbe(db, set);
    if (known.size >= KNOWN_RUNS) known.clear();
    known.set(run, asked);
    asked.catch(() => known.delete(run));
    return asked;
  };
  return (run: string, set: string): Promise<boolean> => known.get(run) ?? ask(run, set);
};

const notFound = () => itemFailure(ITEM_FAILURES.itemNotFound, 'Item not found');

/**
 * Activities of the built-in probe: each item records its start, sleeps or fails as it was seeded, and records its end. With `commit: 'transaction'`
 * the end, and of an item that takes no time the whole execution, is written in the transaction of its done row.
 */
export const createProbeActivities = (deps: ProbeDeps, contract = probeContract) => {
  const isQuick = createQuickCheck(deps.db);
  return createPipelineActivities<ProbeFields>(
    contract,
    {
      preflight: async ({ input }) => ({
        plan: {
          ...(input.pageSize === undefined ? {} : { pageSize: input.pageSize }),
          ...(input.chunkSize === undefined ? {} : { chunkSize: input.chunkSize }),
          ...(input.dispatch === undefined ? {} : { dispatch: input.dispatch as RunPlan['dispatch'] }),
        },
      }),
      flow: probeFlow,
      eligible: ({ set }) => probeSource(set),
      executeItem: async ({ itemId, input: { set, commit }, run, attempt, signal }) => {
        const execution = { set, itemId, run, attempt };
        const isTogether = commit === 'transaction';
        if (await isQuick(run, set)) {
          const record = async (executor: Executor): Promise<void> => {
            if (!(await recordProbeWhole(executor, execution))) throw notFound();
          };
          if (isTogether) return { kind: 'done', write: record };
          await record(deps.db);
          return { kind: 'done' };
        }
        const started = await recordProbeStart(deps.db, execution);
        if (started === null) throw notFound();
        try {
          if (started.sleepMs > 0) await delay(started.sleepMs, undefined, { signal });
          if (started.fails) throw itemFailure(ITEM_FAILURES.providerUnavailable, 'seeded to fail', { retryable: true });
        } catch (error) {
          await recordProbeEnd(deps.db, started.executionId, false);
          throw error;
        }
        if (isTogether) return { kind: 'done', write: (tx) => recordProbeEnd(tx, started.executionId, true) };
        await recordProbeEnd(deps.db, started.executionId, true);
        return { kind: 'done' };
      },
    },
    deps,
  );
};
