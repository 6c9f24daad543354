import { probeContract } from '../../packages/contracts/probe.ts';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import { DISPATCHES } from '../figures.ts';
import type { Dispatch, RowFigures } from '../figures.ts';
import { isMessage, listChunkEnds, readChain, timeOf } from '../histories.ts';
import { findLimitFault, limiterId } from '../limiter.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';
import type { Trial } from '../trial.ts';

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

/** One or two runs on a key: what its limiter hears while they are neither starting nor ending. */
const countMessages = async (context: BenchContext, dispatch: Dispatch, runs: 1 | 2) => {
  const { client } = context.stack;
  const items = Math.round(context.sizes.byItem / runs);
  const input = { dispatch, parallelism: CAP, flowKey: freshName(`bench-limiter-${dispatch}`) };
  const trials: Trial[] = [];
  for (let run = 0; run < runs; run++) trials.push(await prepareTrial(context, { label: 'limiter', items, sleepMs: SLEEP_MS, input }));
  await Promise.all(trials.map((trial) => trial.run()));
  for (const trial of trials) await trial.check();
  const histories = await Promise.all(trials.map(({ workflowId }) => readChain(client, workflowId)));
  const ends = histories.flatMap(listChunkEnds).sort((left, right) => left - right);
  const at = (share: number): number => ends[Math.floor((ends.length - 1) * share)] ?? 0;
  const [from, to] = [at(STEADY.from), at(STEADY.to)];
  const inside = (time: number): boolean => time >= from && time < to;
  const messages = (await readChain(client, limiterId(input.flowKey))).filter(isMessage).map(timeOf);
  const heard = messages.filter(inside).length;
  const chunks = ends.filter(inside).length * Math.min(1, (runs * countPlannedChunks(items)) / ends.length);
  const perChunk = roundTo(heard / Math.max(1, chunks), 2);
  return { heard, all: messages.length, chunks: roundTo(chunks, 1), perChunk, problem: await findLimitFault(client, input.flowKey) };
};

/** What a limiter hears a chunk in the middle of a run with a cap of 10. */
export const measureLimiter = (context: BenchContext): Promise<TrialOutcome<'limiter'>> =>
  withWorkers(context, 1, async () => {
    const figures: Record<string, number> = {};
    let problem: string | undefined;
    for (const dispatch of DISPATCHES)
      for (const runs of [1, 2] as const) {
        const { heard, all, chunks, perChunk, problem: fault } = await countMessages(context, dispatch, runs);
        const name = `${dispatch}${runs === 1 ? '' : 'Shared'}`;
        Object.assign(figures, {
          [`${name}Messages`]: heard,
          [`${name}AllMessages`]: all,
          [`${name}Chunks`]: chunks,
          [`${name}MessagesPerChunk`]: perChunk,
        });
        problem ??= fault;
      }
    const items = context.sizes.byItem;
    return { items, ...(problem === undefined ? {} : { problem }), figures: figures as unknown as RowFigures['limiter'] };
  });
