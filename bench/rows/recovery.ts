import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import type { BenchContext } from '../context.ts';
import { DISPATCHES } from '../figures.ts';
import type { Dispatch, RecoveryTrial, RowFigures } from '../figures.ts';
import { countClaims, countSucceeded, readAftermath, readClock } from '../executions.ts';
import { findHolder } from '../histories.ts';
import { findLimitFault, limiterId } from '../limiter.ts';
import type { StartingProcess } from '../processes.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { freshName, prepareTrial } from '../trial.ts';
import type { Trial } from '../trial.ts';

const SLEEP_MS = 5;
const NEW_WORKER_AFTER_MS = 1_000;
const HALF_WITHIN_MS = 120_000;
/** High enough not to hold anything up. */
const LIMIT = 100;

interface Plan {
  readonly workers: 1 | 2;
  readonly isLimited: boolean;
  /** Whose holder is killed; `busiest`: the worker that has most items in flight. */
  readonly victim: 'parent' | 'limiter' | 'busiest';
}

const PLANS: Readonly<Record<RecoveryTrial, Plan>> = {
  only: { workers: 1, isLimited: false, victim: 'parent' },
  onlyLimited: { workers: 1, isLimited: true, victim: 'limiter' },
  oneOfTwo: { workers: 2, isLimited: false, victim: 'busiest' },
  oneOfTwoParent: { workers: 2, isLimited: false, victim: 'parent' },
  oneOfTwoLimiter: { workers: 2, isLimited: true, victim: 'limiter' },
};

interface Choice {
  readonly victim: Plan['victim'];
  readonly trial: Trial;
  readonly flowKey: string;
}

const findVictimPid = async ({ stack }: BenchContext, pids: readonly number[], { victim, trial, flowKey }: Choice): Promise<number | undefined> => {
  if (victim !== 'busiest') return findHolder(stack.client, victim === 'limiter' ? limiterId(flowKey) : trial.workflowId);
  const claims = await Promise.all(pids.map(async (pid) => ({ pid, held: await countClaims(stack.pool, { set: trial.set, pid }) })));
  return claims.reduce((most, each) => (each.held > most.held ? each : most)).pid;
};

const chooseVictim = async (context: BenchContext, workers: readonly StartingProcess[], choice: Choice): Promise<StartingProcess> => {
  const pids = workers.map(({ pid }) => pid);
  const chosen = pids.length === 1 ? pids[0] : await findVictimPid(context, pids, choice);
  const victim = workers.find(({ pid }) => pid === chosen) ?? workers[0];
  if (victim === undefined) throw new Error('no worker to kill');
  return victim;
};

const kill = async ({ stack }: BenchContext, victim: StartingProcess, { set }: Trial) => {
  victim.kill('SIGKILL');
  const killedAt = await readClock(stack.pool);
  await victim.exited;
  return { killedAt, inFlight: await countClaims(stack.pool, { set, pid: victim.pid }) };
};

const secondsBetween = (from: Date, to: Date | null): number => {
  if (to === null) throw new Error('nothing was left to do after the kill: the items are too few');
  return roundTo((to.getTime() - from.getTime()) / 1_000, 2);
};

const killAtHalf = async (context: BenchContext, { plan, dispatch, workers }: { plan: Plan; dispatch: Dispatch; workers: StartingProcess[] }) => {
  const { stack, sizes, signal } = context;
  const flowKey = freshName('bench-recovery');
  const input = { dispatch, ...(plan.isLimited ? { parallelism: LIMIT, flowKey } : {}) };
  const warm = await prepareTrial(context, { label: 'before-recovery', items: sizes.smallJob });
  await warm.run();
  const trial = await prepareTrial(context, { label: 'recovery', items: sizes.recovery, sleepMs: SLEEP_MS, input });
  const startedAt = await readClock(stack.pool);
  const started = await trial.start();
  const isHalf = async (): Promise<boolean> => (await countSucceeded(stack.pool, trial.set)) >= sizes.recovery / 2;
  await waitUntil({ what: 'half of the items being done', timeoutMs: HALF_WITHIN_MS, everyMs: 10, signal, probe: isHalf });
  const victim = await chooseVictim(context, workers, { victim: plan.victim, trial, flowKey });
  const { killedAt, inFlight } = await kill(context, victim, trial);
  if (plan.workers === 1) {
    await delay(NEW_WORKER_AFTER_MS - (Date.now() - killedAt.getTime()), undefined, { signal });
    workers.push(stack.spawnWorker());
  }
  await trial.finish(started);
  const [after, { executions, done }] = await Promise.all([readAftermath(stack.pool, trial.set, killedAt), trial.report()]);
  return {
    FirstNewItemSeconds: secondsBetween(killedAt, after.firstNewEnd),
    LastItemSeconds: secondsBetween(killedAt, after.lastEnd),
    HalfSeconds: secondsBetween(startedAt, killedAt),
    LongestGapSeconds: roundTo(after.longestGapSeconds, 2),
    InFlight: inFlight,
    ExecutedTwice: executions - sizes.recovery,
    NotDone: sizes.recovery - done,
    problem: plan.isLimited ? await findLimitFault(stack.client, flowKey) : undefined,
  };
};

const runTrial = async (context: BenchContext, trial: RecoveryTrial, dispatch: Dispatch) => {
  const plan = PLANS[trial];
  const workers: StartingProcess[] = Array.from({ length: plan.workers }, () => context.stack.spawnWorker());
  try {
    await Promise.all(workers.map(({ ready }) => ready));
    const { problem, ...figures } = await killAtHalf(context, { plan, dispatch, workers });
    context.say(`${trial}, by ${dispatch}: first new item after ${figures.FirstNewItemSeconds} s, last after ${figures.LastItemSeconds} s`);
    return { problem, figures };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
};

/** kill -9 of a worker at half of the items: what it costs, by what the dead process held. A trial whose limit was not enforced has no figures. */
export const measureRecovery = async (context: BenchContext): Promise<TrialOutcome<'recovery'>> => {
  const all: Record<string, number> = {};
  for (const trial of Object.keys(PLANS) as RecoveryTrial[])
    for (const dispatch of DISPATCHES) {
      const { problem, figures } = await runTrial(context, trial, dispatch);
      if (problem === undefined) Object.assign(all, nameFigures(`${trial}${dispatch === 'slice' ? 'Slice' : ''}`, figures));
      else context.say(`${trial}, by ${dispatch}: ${problem}`);
    }
  return { items: context.sizes.recovery, figures: all as unknown as RowFigures['recovery'] };
};

const nameFigures = (prefix: string, figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [`${prefix}${name}`, value]));
