import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { RowFigures } from '../figures.ts';
import { readChain } from '../histories.ts';
import type { TrialOutcome } from '../row.ts';
import { measureAcceptedFloor, measureQuietFloor, measureScopesFloor, measureSequentialFloor } from '../signal-floors.ts';
import { computePercentile, roundTo } from '../statistics.ts';
import { freshName } from '../trial.ts';
import { SCOPE_TYPE } from '../../packages/contracts/agent-signal-scope.ts';
import { scopeWorkflowId } from '../../packages/contracts/scope-identity.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { enqueueEvent } from '../../packages/runtime/signal-doors.ts';
import type { Sender, SignalDoorDeps } from '../../packages/runtime/signal-doors.ts';
import { emitEvent } from '../../packages/runtime/signal-emit.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';

const OWNER = 'bench';
const SENDER: Sender = { door: 'server', caller: { kind: 'service', userId: OWNER } };
const LANES = 20;
const QUIET = 40;
const EMITS = 40;
const WITHIN_MS = 300_000;

interface Events {
  readonly scopes: number;
  readonly each: number;
}

const doorsOf = ({ stack }: BenchContext): SignalDoorDeps => ({
  client: stack.client,
  db: stack.db,
  taskQueue: stack.queue,
  // What one scope takes in a second is bounded on purpose: here it is lifted.
  limits: { ...SIGNAL_LIMITS, acceptedPerSecond: 1_000_000 },
  isOnByDefault: true,
});

const eventOf = (scopeKey: string, sourceId: string, actions = 0) => ({ sourceType: 'probe.event', sourceId, payload: { actions }, scopeKey });

/** Enqueues events in turn over the scopes; answers how many were accepted a second. */
const enqueueAll = async (context: BenchContext, name: string, { scopes, each }: Events): Promise<number> => {
  const deps = doorsOf(context);
  const waiting = Array.from({ length: scopes * each }, (_, index) => eventOf(`topic:${name}-${index % scopes}`, `e${index}`)).values();
  const lane = async (): Promise<void> => {
    for (const event of waiting) await enqueueEvent(deps, event, SENDER);
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  return roundTo((scopes * each * 1_000) / (performance.now() - startedAt), 1);
};

/** Waits until all have ended; answers how many did a second, by the database's clock from the first claim to the last end. An Error where one failed. */
const awaitEnds = async ({ stack, signal }: BenchContext, name: string, count: number): Promise<number> => {
  const read = async () => {
    const { rows } = await stack.pool.query<{ done: number; failed: number; seconds: number }>(
      `select count(*) filter (where e.state = 'done')::int as done, count(*) filter (where e.state = 'failed')::int as failed,
         extract(epoch from max(e.finished_at) - min(e.started_at))::float8 as seconds
       from signal_events e join signal_scopes s on s.id = e.scope_id where s.owner_id = $1 and s.scope_key like $2`,
      [OWNER, `topic:${name}-%`],
    );
    return rows[0] ?? { done: 0, failed: 0, seconds: 0 };
  };
  await waitUntil({
    what: `${count} events of ${name} ended`,
    timeoutMs: WITHIN_MS,
    everyMs: 100,
    signal,
    probe: async () => (await read()).done + (await read()).failed === count,
  });
  const { failed, seconds } = await read();
  if (failed > 0) throw new Error(`${failed} of ${count} events failed`);
  return roundTo(count / seconds, 1);
};

/** What one event of a busy scope costs in its history: activities and events of its chain, each by the event. */
const readCosts = async ({ stack }: BenchContext, scopeKey: string, events: number) => {
  const chain = await readChain(stack.client, scopeWorkflowId({ ownerId: OWNER, scopeKey }));
  const activities = chain.filter((event) => event.activityTaskScheduledEventAttributes).length;
  return { activitiesPerEvent: roundTo(activities / events, 2), historyEventsPerEvent: roundTo(chain.length / events, 2) };
};

/** One event after another into a quiet scope, each when the one before has ended. */
const measureQuiet = async (context: BenchContext): Promise<number> => {
  const [deps, name] = [doorsOf(context), freshName('quiet')];
  const taken: number[] = [];
  for (let time = 0; time <= QUIET; time++) {
    const startedAt = performance.now();
    await enqueueEvent(deps, eventOf(`topic:${name}-0`, `e${time}`), SENDER);
    if (time > 0) taken.push(performance.now() - startedAt);
    await awaitEnds(context, name, time + 1);
  }
  return roundTo(computePercentile(taken, 0.95), 1);
};

/** From an emit to the answer that its one action was applied. */
const measureApplied = async (context: BenchContext) => {
  const [deps, name] = [doorsOf(context), freshName('emit')];
  const taken: number[] = [];
  for (let time = 0; time <= EMITS; time++) {
    const startedAt = performance.now();
    const answer = await emitEvent(deps, eventOf(`topic:${name}-0`, `e${time}`, 1), SENDER);
    if (answer === undefined || answer.deduped || answer.run.status !== 'completed') throw new Error(`emit ${time} did not complete`);
    if (time > 0) taken.push(performance.now() - startedAt);
  }
  return { appliedP50Ms: roundTo(computePercentile(taken, 0.5), 1), appliedP95Ms: roundTo(computePercentile(taken, 0.95), 1) };
};

/** Scopes idle out after a minute; until then they would be work for the rows behind this one. */
const awaitIdle = ({ stack, signal }: BenchContext): Promise<void> =>
  waitUntil({
    what: 'no scope running',
    timeoutMs: 180_000,
    everyMs: 1_000,
    signal,
    probe: async () => (await stack.client.workflow.count(`WorkflowType = '${SCOPE_TYPE}' and ExecutionStatus = 'Running'`)).count === 0,
  });

type Figures = RowFigures['signals'];

const measureOurs = (context: BenchContext, events: number, spread: Events) =>
  withWorkers(context, 1, async () => {
    const warm = freshName('warm');
    await enqueueAll(context, warm, { scopes: 2, each: 20 });
    await awaitEnds(context, warm, 40);
    const [one, many] = [freshName('one'), freshName('many')];
    const acceptedPerSecond = await enqueueAll(context, one, { scopes: 1, each: events });
    const finishedPerSecond = await awaitEnds(context, one, events);
    const costs = await readCosts(context, `topic:${one}-0`, events);
    const acceptedScopesPerSecond = await enqueueAll(context, many, spread);
    const finishedScopesPerSecond = await awaitEnds(context, many, spread.scopes * spread.each);
    const quietP95Ms = await measureQuiet(context);
    const applied = await measureApplied(context);
    await awaitIdle(context);
    return {
      acceptedPerSecond,
      finishedPerSecond,
      ...costs,
      acceptedScopesPerSecond,
      finishedScopesPerSecond,
      quietP95Ms,
      ...applied,
    };
  });

const measureFloors = async (context: BenchContext, events: number, spread: Events) => {
  const worker = context.stack.spawnFloorWorker();
  try {
    await worker.ready;
    await measureSequentialFloor(context, 40);
    return {
      floorSequentialPerSecond: await measureSequentialFloor(context, events),
      floorScopesPerSecond: await measureScopesFloor(context, spread),
      floorAcceptedScopesPerSecond: await measureAcceptedFloor(context, { ...spread, lanes: LANES }),
      floorQuietP95Ms: await measureQuietFloor(context, QUIET),
    };
  } finally {
    await worker.stop();
  }
};

/** Events of the `probe` policy beside what raw SDK code does for the like: in one scope, over two hundred, one at a time, and answered. */
export const measureSignals = async (context: BenchContext): Promise<TrialOutcome<'signals'>> => {
  const { events } = context.sizes;
  const spread = { scopes: Math.max(20, Math.round(events / 3)), each: 5 };
  const figures: Figures = { ...(await measureFloors(context, events, spread)), ...(await measureOurs(context, events, spread)) };
  return { items: events, itemsPerSecond: figures.finishedPerSecond, figures };
};
