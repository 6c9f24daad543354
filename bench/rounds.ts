import type { BenchContext } from './context.ts';
import { explainFailure } from './failure.ts';
import { measure } from './measure.ts';
import type { Measured } from './measure.ts';
import type { StartingProcess } from './processes.ts';
import { rateRows } from './rate-rows.ts';
import { failedRow } from './row.ts';
import { RATE_ROWS } from './row-names.ts';
import type { Row } from './row.ts';
import type { RateRowName } from './row-names.ts';
import { findMedianIndex, orderOfRound } from './statistics.ts';

const WARM_UP_SHARE = 0.25;
const LEAST_WARM_UP = 20;

interface RateWorkers {
  readonly worker: StartingProcess | undefined;
  readonly floorWorker: StartingProcess | undefined;
}

interface RowSoFar {
  readonly name: RateRowName;
  readonly rounds: Measured[];
  problem: string | undefined;
  failure: string | undefined;
}

const pidsOf = (by: (typeof rateRows)[RateRowName]['by'], { worker, floorWorker }: RateWorkers): readonly number[] => {
  if (by === 'self') return [process.pid];
  const process_ = by === 'worker' ? worker : floorWorker;
  return process_ === undefined ? [] : [process_.pid];
};

const measureOnce = async (context: BenchContext, workers: RateWorkers, { name, items }: { name: RateRowName; items: number }) => {
  const { by, prepare } = rateRows[name];
  const work = await prepare(context, items);
  const measured = await measure(context.stack, { items, pids: pidsOf(by, workers) }, work.run);
  return { measured, problem: await work.check() };
};

const runRound = async (
  context: BenchContext,
  workers: RateWorkers,
  { rows, title }: { rows: readonly RowSoFar[]; title: string },
): Promise<void> => {
  for (const row of rows.filter(({ failure }) => failure === undefined)) {
    const items = rateRows[row.name].items(context.sizes);
    try {
      const { measured, problem } = await measureOnce(context, workers, { name: row.name, items });
      row.rounds.push(measured);
      row.problem ??= problem;
      context.say(`${title}: ${row.name} ${measured.itemsPerSecond.toLocaleString('en')} items/s${problem === undefined ? '' : ` (${problem})`}`);
    } catch (error) {
      row.failure = await explainFailure(context, row.name, error);
    }
  }
};

/** Every process and every statement is warm before anything counts, on both sides. */
const warmUp = async (context: BenchContext, workers: RateWorkers, names: readonly RateRowName[]): Promise<void> => {
  context.say('warming up');
  for (const name of names) {
    const items = Math.max(LEAST_WARM_UP, Math.round(rateRows[name].items(context.sizes) * WARM_UP_SHARE));
    await measureOnce(context, workers, { name, items }).catch((error: unknown) => explainFailure(context, name, error));
  }
};

const startWorkers = async ({ stack }: BenchContext, names: readonly RateRowName[]): Promise<RateWorkers> => {
  const needs = (by: string): boolean => names.some((name) => rateRows[name].by === by);
  const workers = {
    worker: needs('worker') ? stack.spawnWorker() : undefined,
    floorWorker: needs('floorWorker') ? stack.spawnFloorWorker() : undefined,
  };
  await Promise.all([workers.worker?.ready, workers.floorWorker?.ready]);
  return workers;
};

const toRow = ({ name, rounds, problem, failure }: RowSoFar): Row => {
  if (failure !== undefined) return failedRow(name, failure);
  const rates = rounds.map(({ itemsPerSecond }) => itemsPerSecond);
  const middle = rounds[findMedianIndex(rates)] as Measured;
  return { name, ...middle, rounds: rates, ...(problem === undefined ? {} : { problem }) };
};

/** Measures the rate rows beside each other, so many rounds; each row shows its middle round. */
export const measureRates = async (context: BenchContext, wanted: readonly RateRowName[], rounds: number): Promise<readonly Row[]> => {
  const names = RATE_ROWS.filter((name) => wanted.includes(name));
  if (names.length === 0) return [];
  const workers = await startWorkers(context, names);
  const rows = names.map((name): RowSoFar => ({ name, rounds: [], problem: undefined, failure: undefined }));
  try {
    await warmUp(context, workers, names);
    for (let round = 0; round < rounds; round++)
      await runRound(context, workers, { rows: orderOfRound(rows, round), title: `round ${round + 1} of ${rounds}` });
    return rows.map(toRow);
  } finally {
    await Promise.all([workers.worker?.stop(), workers.floorWorker?.stop()]);
  }
};
