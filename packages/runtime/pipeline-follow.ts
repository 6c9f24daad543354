import { setTimeout as delay } from 'node:timers/promises';
import type { PipelineContract } from '../contracts/pipeline.ts';
import type { RunState } from '../contracts/run.ts';
import type { StartAnswer } from './pipeline-start.ts';
import { endedStatus, readStatus } from './pipeline-status.ts';
import type { StatusDeps } from './pipeline-status.ts';
import { awaitEnding } from './run-ending.ts';
import type { RunStatus } from './run-status.ts';
import { EXIT, UserError } from './user-error.ts';

const ENTRY_WITHIN_MS = 10_000;
const ENTRY_EVERY_MS = 150;
const OPEN_STATES: readonly RunState[] = ['running', 'paused', 'aborting'];

/** How a run is watched. */
export interface WatchOptions {
  /** Time between two readings, ms. */
  readonly everyMs: number;
  /** Longest time in the queue without any worker, ms. */
  readonly workerWithinMs: number;
  readonly onStatus: (status: RunStatus) => void;
}

type Watched = StartAnswer & Pick<PipelineContract, 'type'>;

/** Readings of a run until it has ended; the last one is its end. A reading that fails is only late. */
async function* readings(deps: StatusDeps, run: Watched, everyMs: number): AsyncGenerator<{ status: RunStatus; isEnd: boolean }> {
  const { workflowId, runId, type: pipeline } = run;
  const leaving = new AbortController();
  const ended = awaitEnding(deps.client, { workflowId, runId, signal: leaving.signal });
  // Where the caller stops reading first, nobody hears of the wait that is given up.
  ended.catch(() => undefined);
  try {
    for (let pause = Math.min(everyMs, ENTRY_EVERY_MS); ; pause = everyMs) {
      const ending = await Promise.race([ended, delay(pause)]);
      if (ending !== undefined) return yield { status: await endedStatus(deps, { workflowId, runId, pipeline }, ending), isEnd: true };
      const status = await readStatus(deps, workflowId).catch(() => undefined);
      if (status?.runId === runId) yield { status, isEnd: false };
    }
  } finally {
    leaving.abort();
  }
}

/** Waits until a run's entry is over: counted, ended or refused; at most 10 s, and no longer than is needed to see that nobody serves its queue. */
export async function awaitEntry(deps: StatusDeps, run: Watched): Promise<RunStatus> {
  const until = Date.now() + ENTRY_WITHIN_MS;
  for await (const { status, isEnd } of readings(deps, run, ENTRY_EVERY_MS)) {
    const isUnserved = status.state === 'queued' && status.noWorkerSince !== undefined;
    // A run that was counted and has nothing to do is about to close: its result says more than this reading.
    const isCounted = status.toProcess !== undefined && OPEN_STATES.includes(status.state);
    if (isEnd || isUnserved || isCounted || Date.now() > until) return status;
  }
  throw new Error('a run has no reading');
}

/** Watches a run to its end; a UserError (exit 3) if it stays queued without a worker. */
export async function watchRun(deps: StatusDeps, run: Watched, options: WatchOptions): Promise<RunStatus> {
  let servedAt = performance.now();
  for await (const { status, isEnd } of readings(deps, run, options.everyMs)) {
    if (isEnd) return status;
    options.onStatus(status);
    const isUnserved = status.state === 'queued' && status.noWorkerSince !== undefined;
    if (!isUnserved) servedAt = performance.now();
    if (performance.now() - servedAt >= options.workerWithinMs) throw unserved(status);
  }
  throw new Error('a run has no reading');
}

function unserved({ workflowId, noWorkerSince }: RunStatus): UserError {
  return new UserError(
    `${workflowId} is queued, no worker since ${noWorkerSince}: start one with \`strata worker\`, or name its queue with --queue`,
    EXIT.unreachable,
  );
}
