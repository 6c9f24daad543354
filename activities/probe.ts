import { setTimeout as delay } from 'node:timers/promises';
import { probeContract } from '../packages/contracts/probe.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import type { PipelineInput } from '../packages/contracts/fields.ts';
import type { LayerLimit } from '../packages/contracts/limits.ts';
import type { RunPlan } from '../packages/contracts/run-plan.ts';
import { probeSource, recordProbeEnd, recordProbeStart } from '../packages/database/probe-store.ts';
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

/** Activities of the built-in probe: each item records its start, sleeps or fails as it was seeded, and records its end. */
export const createProbeActivities = (deps: ProbeDeps, contract = probeContract) =>
  createPipelineActivities<ProbeFields>(
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
      executeItem: async ({ itemId, input, run, attempt, signal }) => {
        const started = await recordProbeStart(deps.db, { set: input.set, itemId, run, attempt });
        if (started === null) throw itemFailure(ITEM_FAILURES.itemNotFound, 'Item not found');
        if (started.isOver) return { kind: 'done' };
        try {
          if (started.sleepMs > 0) await delay(started.sleepMs, undefined, { signal });
          if (started.fails) throw itemFailure(ITEM_FAILURES.providerUnavailable, 'seeded to fail', { retryable: true });
        } catch (error) {
          await recordProbeEnd(deps.db, started.executionId, false);
          throw error;
        }
        await recordProbeEnd(deps.db, started.executionId, true);
        return { kind: 'done' };
      },
    },
    deps,
  );
