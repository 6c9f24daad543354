import { probeContract } from '../packages/contracts/probe.ts';
import type { PipelineContract } from '../packages/contracts/pipeline.ts';
import { readProbeReport, seedProbe } from '../packages/database/probe-store.ts';
import type { ProbeReport } from '../packages/database/probe-store.ts';
import type { StartAnswer } from '../packages/runtime/pipeline-client.ts';
import type { BenchContext } from './context.ts';
import { allowanceMs, within } from './deadline.ts';

const contract = probeContract as unknown as PipelineContract;

/** A fresh probe set and how its run is started. */
export interface TrialInput {
  readonly label: string;
  readonly items: number;
  readonly sleepMs?: number;
  /** Further fields of the probe's input. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** One run over a fresh probe set. */
export interface Trial {
  readonly set: string;
  readonly workflowId: string;
  start(): Promise<StartAnswer>;
  /** Waits for the result; an Error unless every item succeeded. */
  finish(started: StartAnswer): Promise<void>;
  /** Starts it and waits for its result; resolves to the seconds that took. */
  run(): Promise<number>;
  report(): Promise<ProbeReport>;
  /** An Error unless each item was done, and executed successfully exactly once. */
  check(): Promise<void>;
}

let trials = 0;

/** A name that no earlier trial had: of a set, or of a key. */
export const freshName = (label: string): string => `${label}-${++trials}`;

/** Seeds a fresh set. */
export const prepareTrial = async ({ stack, signal }: BenchContext, { label, items, sleepMs = 0, input }: TrialInput): Promise<Trial> => {
  const set = freshName(label);
  const { pipelines, db } = stack;
  await seedProbe(db, { set, items, sleepMs, failEvery: null, failTimes: null });
  const start = (): Promise<StartAnswer> => pipelines.start(contract, { ...input, set });
  const finish = async (started: StartAnswer): Promise<void> => {
    const result = await within({ what: `the run of ${set}`, timeoutMs: allowanceMs(items), signal }, pipelines.result(started));
    if (result.succeeded !== items) throw new Error(`${set}: ${result.succeeded} of ${items} items succeeded`);
  };
  const report = (): Promise<ProbeReport> => readProbeReport(db, set);
  return {
    set,
    workflowId: `probe/${set}`,
    start,
    finish,
    report,
    run: async () => {
      const startedAt = performance.now();
      await finish(await start());
      return (performance.now() - startedAt) / 1_000;
    },
    check: async () => {
      const { done, executions, duplicates } = await report();
      if (done !== items || executions !== items || duplicates !== 0)
        throw new Error(`${set}: of ${items} items ${done} are done by ${executions} executions, ${duplicates} of them twice`);
    },
  };
};
