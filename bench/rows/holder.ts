import { waitUntil } from '../../packages/runtime/wait-until.ts';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { Dispatch } from '../figures.ts';
import { countRunning, readClock, readMaxOverlap, readOverlapAt } from '../executions.ts';
import { findLimitFault } from '../limiter.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';

const CAP = 10;
const HELD_MS = 30_000;
const WAITING_ITEMS = 100;
const WAITING_MS = 200;
const WITHIN_MS = 30_000;

const runAfterHolder = async (context: BenchContext, dispatch: Dispatch) => {
  const { stack, signal } = context;
  const input = { dispatch, parallelism: CAP, flowKey: freshName(`bench-holder-${dispatch}`) };
  const holder = await prepareTrial(context, { label: 'holder', items: CAP, sleepMs: HELD_MS, input });
  const waiting = await prepareTrial(context, { label: 'waiting', items: WAITING_ITEMS, sleepMs: WAITING_MS, input });
  await holder.start();
  const holdsAll = async (): Promise<boolean> => (await countRunning(stack.pool, holder.set)) === CAP;
  await waitUntil({ what: 'the holder holding every permit', timeoutMs: WITHIN_MS, signal, probe: holdsAll });
  const started = await waiting.start();
  const isCounted = async (): Promise<boolean> => (await stack.pipelines.progress(waiting.workflowId)).toProcess === WAITING_ITEMS;
  await waitUntil({ what: 'the waiting run being counted', timeoutMs: WITHIN_MS, signal, probe: isCounted });
  const terminatedAt = await readClock(stack.pool);
  await stack.client.workflow.getHandle(holder.workflowId).terminate('the benchmark takes its permits back');
  await waiting.finish(started);
  await waiting.check();
  const backAt = await readOverlapAt(stack.pool, waiting.set, CAP);
  if (backAt === null) throw new Error(`${waiting.set} never had every permit`);
  return {
    seconds: roundTo((backAt.getTime() - terminatedAt.getTime()) / 1_000, 2),
    maxOverlap: await readMaxOverlap(stack.pool, [holder.set, waiting.set]),
    problem: await findLimitFault(stack.client, input.flowKey),
  };
};

/** A run that holds every permit of a key is terminated while another waits: when the other one has them all, and how many ran at once. */
export const measureHolder = (context: BenchContext): Promise<TrialOutcome<'holder'>> =>
  withWorkers(context, 1, async () => {
    const slice = await runAfterHolder(context, 'slice');
    const item = await runAfterHolder(context, 'item');
    const problem = slice.problem ?? item.problem;
    return {
      ...(problem === undefined ? {} : { problem }),
      figures: {
        slicePermitsBackSeconds: slice.seconds,
        sliceMaxOverlap: slice.maxOverlap,
        itemPermitsBackSeconds: item.seconds,
        itemMaxOverlap: item.maxOverlap,
      },
    };
  });
