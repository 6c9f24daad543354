import { UserError } from '../packages/runtime/user-error.ts';
import { startBenchStack } from './bench-stack.ts';
import type { BenchStack } from './bench-stack.ts';
import { judge } from './bars.ts';
import type { BenchContext } from './context.ts';
import { within } from './deadline.ts';
import { explainFailure } from './failure.ts';
import { describeMachine } from './machine.ts';
import { computeRatios } from './ratios.ts';
import type { BenchReport } from './report.ts';
import { measureRates } from './rounds.ts';
import { failedRow, toRow } from './row.ts';
import { TRIAL_ROWS } from './row-names.ts';
import type { Row } from './row.ts';
import type { RateRowName, RowName, TrialRowName } from './row-names.ts';
import { trialRows } from './rows/index.ts';
import { computeSizes } from './sizes.ts';

const WITHIN_MS = 3 * 3_600_000;

/** What is measured, and how. */
export interface BenchInput {
  readonly rows: readonly RowName[];
  /** Items of the rows by item; undefined: the size for which the bars are set. */
  readonly items: number | undefined;
  readonly rounds: number;
  readonly signal: AbortSignal;
  readonly say: (sentence: string) => void;
}

const measureTrial = async (context: BenchContext, name: TrialRowName): Promise<Row> => {
  context.say(`measuring ${name}`);
  try {
    return toRow(name, await trialRows[name](context));
  } catch (error) {
    return failedRow(name, await explainFailure(context, name, error));
  }
};

const measureAll = async (input: BenchInput, stack: BenchStack): Promise<BenchReport> => {
  const sizes = computeSizes(input.items);
  const context = { ...input, stack, sizes };
  const machine = await describeMachine(stack);
  const isTrial = (name: RowName): name is TrialRowName => (TRIAL_ROWS as readonly RowName[]).includes(name);
  const rows = [
    ...(await measureRates(
      context,
      input.rows.filter((name): name is RateRowName => !isTrial(name)),
      input.rounds,
    )),
  ];
  for (const name of TRIAL_ROWS.filter((trial) => input.rows.includes(trial))) rows.push(await measureTrial(context, name));
  const ratios = computeRatios(rows);
  return { machine, isFull: sizes.isFull, rounds: input.rounds, rows, ratios, bars: judge(rows, ratios, sizes.isFull) };
};

/** Measures the rows on servers of its own and ends everything it started, also when the signal aborts; then it rejects with the signal's reason. */
export const runBench = async (input: BenchInput): Promise<BenchReport> => {
  if (process.platform !== 'linux') throw new UserError('strata bench reads CPU time and memory from /proc: run it on Linux, or in a container');
  const stack = await startBenchStack(input);
  try {
    // Calls that wait for the server end with the signal, before their connection is closed.
    const report = stack.client.withAbortSignal(input.signal, () => measureAll(input, stack));
    return await within({ what: 'the benchmark', timeoutMs: WITHIN_MS, signal: input.signal }, report);
  } finally {
    await stack.stop();
  }
};
