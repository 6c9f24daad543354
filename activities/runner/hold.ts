import { Context, log } from '@temporalio/activity';
import { MAX_HOLD_MS } from '../../packages/contracts/flow-control.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { Runner } from './definition.ts';
import { loadFlowKeys } from './flow-keys.ts';
import type { KnownRun } from './runs.ts';

const EVERY_MS = 1_000;

/** Tells the limiter of a run's items that a provider wants so many seconds of rest; returns at once. */
export type HoldKey = (run: KnownRun<FieldSpecs>, retryAfterSeconds: number) => void;

/** Makes the holder of a pipeline: at most one message per second and run, however many items were told to wait. */
export const createHoldKey = <F extends FieldSpecs>(runner: Runner<F>): HoldKey => {
  const lastMs = new WeakMap<KnownRun<FieldSpecs>, number>();
  const send = async ({ input }: KnownRun<F>, retryAfterSeconds: number, taskQueue: string): Promise<void> => {
    const key = (await loadFlowKeys(runner, input)).execute;
    if (key === null) return;
    const holdMs = Math.min(retryAfterSeconds * 1_000, MAX_HOLD_MS);
    await runner.deps.flow.tell({ v: 1, kind: 'hold', ...key, holdMs }, taskQueue);
  };
  return (run, retryAfterSeconds) => {
    const nowMs = performance.now();
    if (nowMs - (lastMs.get(run) ?? -EVERY_MS) < EVERY_MS) return;
    lastMs.set(run, nowMs);
    const { taskQueue } = Context.current().info;
    send(run as unknown as KnownRun<F>, retryAfterSeconds, taskQueue).catch((error: unknown) =>
      log.warn('the limiter could not be told to hold', { pipeline: runner.contract.type, error: String(error) }),
    );
  };
};
