import { probeContract } from '../../packages/contracts/probe.ts';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { Dispatch } from '../figures.ts';
import { isMessage, listChunkEnds, readChain, timeOf } from '../histories.ts';
import { findLimitFault, limiterId } from '../limiter.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';

const CAP = 10;
const SLEEP_MS = 5;
/** What is neither start nor end of a run. */
const STEADY = { from: 0.2, to: 0.8 };

/** Chunks that the run's pages are cut into; a slice that is scheduled again for what is left of its chunk is no further one. */
const countPlannedChunks = (items: number): number => {
  const { pageSize, chunkSize } = probeContract.plan;
  const rest = items % pageSize;
  return Math.floor(items / pageSize) * Math.ceil(pageSize / chunkSize) + Math.ceil(rest / chunkSize);
};

const countMessages = async (context: BenchContext, dispatch: Dispatch) => {
  const { client } = context.stack;
  const input = { dispatch, parallelism: CAP, flowKey: freshName(`bench-limiter-${dispatch}`) };
  const trial = await prepareTrial(context, { label: 'limiter', items: context.sizes.byItem, sleepMs: SLEEP_MS, input });
  await trial.run();
  await trial.check();
  const ends = listChunkEnds(await readChain(client, trial.workflowId));
  const at = (share: number): number => ends[Math.floor((ends.length - 1) * share)] ?? 0;
  const [from, to] = [at(STEADY.from), at(STEADY.to)];
  const messages = (await readChain(client, limiterId(input.flowKey))).filter(isMessage).map(timeOf);
  const inside = (time: number): boolean => time >= from && time < to;
  const chunks = ends.filter(inside).length * Math.min(1, countPlannedChunks(context.sizes.byItem) / ends.length);
  const heard = messages.filter(inside).length;
  return {
    messages: heard,
    chunks: roundTo(chunks, 1),
    perChunk: roundTo(heard / Math.max(1, chunks), 2),
    problem: await findLimitFault(client, input.flowKey),
  };
};

/** What a limiter hears a chunk in the middle of a run with a cap of 10. */
export const measureLimiter = (context: BenchContext): Promise<TrialOutcome<'limiter'>> =>
  withWorkers(context, 1, async () => {
    const slice = await countMessages(context, 'slice');
    const item = await countMessages(context, 'item');
    const problem = slice.problem ?? item.problem;
    return {
      items: context.sizes.byItem,
      ...(problem === undefined ? {} : { problem }),
      figures: {
        sliceMessages: slice.messages,
        sliceChunks: slice.chunks,
        sliceMessagesPerChunk: slice.perChunk,
        itemMessages: item.messages,
        itemChunks: item.chunks,
        itemMessagesPerChunk: item.perChunk,
      },
    };
  });
