import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { executeEvent } from '../../activities/agent-signal/execute.ts';
import type { ExecuteDeps } from '../../activities/agent-signal/execute.ts';
import { createAction } from '../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import type { EmitAnswer } from '../../packages/agent-signal/handler-context.ts';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { ExecutorOutcome } from '../../packages/agent-signal/results.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { ...SIGNAL_LIMITS, retryFirstMs: 20, retryMaxMs: 50, attempts: 3 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  // What a caller leaves to the scope stays as it is.
  rig = await createRig({ workers: 0, replay: false });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const woken: string[] = [];

const execute = (handlers: readonly HandlerDefinition[], more: Partial<ExecuteDeps> = {}) => {
  woken.length = 0;
  const deps: ExecuteDeps = {
    db: rig.db,
    registry: createHandlerRegistry([defineAgentSignalHandlers('trial', handlers)]),
    limits: LIMITS,
    isOnByDefault: true,
    taskQueue: rig.taskQueue,
    wake: async ({ scopeKey }) => void woken.push(scopeKey),
    startRun: async () => undefined,
    ...more,
  };
  const { user } = signals;
  return executeEvent(deps, { ownerId: user, scopeKey: 'topic:t1', sourceType: 'probe.event', sourceId: 'm1', payload: {}, userId: user });
};

const ROWS = { actions: 'select state, epoch, detail from signal_actions', candidates: 'select state from signal_candidates' };
const read = async (rows: keyof typeof ROWS): Promise<readonly object[]> => (await rig.pool.query<object>(ROWS[rows])).rows;

describe('an agent run that an executed event starts', () => {
  const run = {
    agentId: 'a1',
    marker: { kind: 'skill', sourceId: 'm1' },
    prompt: 'p',
    maxSteps: 1,
    detail: 'enqueued',
    failureCode: 'SKILL_FAILED',
    candidate: 'm1',
  } as const;
  const starting = [
    defineSourceHandler({
      id: 'ask',
      on: 'probe.event',
      handle: ({ node }) => ({
        status: 'dispatch',
        actions: [createAction({ parent: node, type: 'action.run', id: 'a1', payload: { idempotencyKey: 'k1' } })],
      }),
    }),
    defineActionHandler({ id: 'run', on: 'action.run', handle: (): ExecutorOutcome => ({ status: 'start', run }) }),
  ];
  const park = () =>
    rig.pool.query(`insert into signal_candidates (owner_id, message_id, state, candidate) values ($1, 'm1', 'resuming', '{}')`, [signals.user]);

  test('consumes its parked candidate', async () => {
    await park();
    expect(await execute(starting)).toMatchObject({ run: { status: 'completed' } });
    expect(await read('actions')).toEqual([{ state: 'applied', epoch: 1, detail: 'enqueued' }]);
    expect(await read('candidates')).toEqual([{ state: 'synthesised' }]);
  });

  test('fails its action where it cannot be started, and leaves the candidate to another try', async () => {
    await park();
    await execute(starting, { startRun: () => Promise.reject(new Error('no Temporal')) });
    expect(await read('actions')).toEqual([{ state: 'failed', epoch: 1, detail: 'SKILL_FAILED: no Temporal' }]);
    expect(await read('candidates')).toEqual([{ state: 'resuming' }]);
  });

  test('is not started a second time where the database is away just after the start: the event goes to its scope, and asks for the same run there', async () => {
    const startRun = async () => void (await rig.pool.query('alter table signal_results rename to away'));
    await expect(execute(starting, { startRun })).rejects.toThrow('signal_results');
    await rig.pool.query('alter table away rename to signal_results');
    expect(await read('actions')).toEqual([{ state: 'reserved', epoch: 1, detail: null }]);
    expect(woken).toEqual(['topic:t1']);
  });

  test('is left to the scope where nobody knows in time whether it was started', async () => {
    const hangs = { startRun: () => new Promise<void>(() => undefined), limits: { ...LIMITS, attemptMs: 200 } };
    await expect(execute(starting, hangs)).rejects.toThrow('not done within 200 ms');
    expect(await read('actions')).toEqual([{ state: 'reserved', epoch: 1, detail: null }]);
    expect(woken).toEqual(['topic:t1']);
  });
});

describe('an executed event', () => {
  const handling = (handle: (context: { readonly signal: AbortSignal; readonly attempt: number }) => Promise<null>) => [
    defineSourceHandler({ id: 'trial', on: 'probe.event', handle }),
  ];

  test('fails where its handler hangs in every attempt, and each attempt is told to stop', async () => {
    const stopped: number[] = [];
    const hanging = handling(({ signal, attempt }) => {
      signal.addEventListener('abort', () => stopped.push(attempt));
      return new Promise(() => undefined);
    });
    expect(await execute(hanging, { limits: { ...LIMITS, attemptMs: 50 } })).toMatchObject({
      run: { status: 'failed', reason: 'trial (m1): GivenUp: not done within 50 ms' },
    });
    expect(stopped).toEqual([1, 2, 3]);
  });

  test('fails where its attempts together take too long', async () => {
    let attempts = 0;
    const failing = handling(() => {
      attempts++;
      return Promise.reject(Object.assign(new Error('HTTP 503'), { type: 'ProviderUnavailable', retryable: true }));
    });
    const limits = { ...LIMITS, attempts: 1_000, retryTotalMs: 200 };
    expect(await execute(failing, { limits })).toMatchObject({ run: { status: 'failed', reason: 'trial (m1): GivenUp: HTTP 503' } });
    expect(attempts).toBeLessThan(20);
  });

  test('stores nothing of an attempt that comes to its end too late', async () => {
    const late = handling(async ({ attempt }) => {
      if (attempt > 1) return delay(150, null);
      await delay(300);
      throw Object.assign(new Error('late'), { type: 'ProviderRefused', retryable: false });
    });
    expect(await execute(late, { limits: { ...LIMITS, attemptMs: 200 } })).toMatchObject({ run: { status: 'completed' } });
    expect(await signals.trace('m1')).toMatchObject({ results: [{ answer: { status: 'none' }, attempt: 2 }] });
  });

  const REFUSING = `
    create function refuse() returns trigger language plpgsql as $$ begin if new.lease_until is not null then raise 'away'; end if; return new; end $$;
    create trigger refuse before update on signal_scopes for each row execute function refuse()`;

  test.each([
    ['another has it', `update signal_scopes set lease_token = 'another'`],
    ['it is over', `update signal_scopes set lease_until = now()`],
    ['it cannot be renewed', REFUSING],
  ])('is left to its scope when the lease is lost: %s', async (_why, loseIt) => {
    let isStopped = false;
    const long = handling(async ({ signal }) => {
      signal.addEventListener('abort', () => (isStopped = true));
      await rig.pool.query(loseIt);
      return delay(20_000, null, { signal });
    });
    const begin = performance.now();
    expect(await execute(long, { limits: { ...LIMITS, leaseMs: 300 } })).toMatchObject({ deduped: false, run: { status: 'pending' } });
    expect(performance.now() - begin).toBeLessThan(5_000);
    expect(isStopped).toBe(true);
    expect(await signals.event('m1')).toMatchObject({ state: 'processing' });
  });
});

describe('a scope that cannot be woken', () => {
  const wake = () => Promise.reject(new Error('no Temporal'));
  const emitting = (scopeKey: string, answers: EmitAnswer[]) =>
    defineSourceHandler({
      id: 'emit',
      on: 'probe.event',
      handle: async ({ emit }) => {
        answers.push(await emit({ sourceType: 'probe.event', sourceId: 'm2', payload: {}, scopeKey }));
        const derived = { sourceType: 'probe.event', sourceId: 'd1', payload: {}, scopeKey: 'topic:t3' };
        return { status: 'conclude', concluded: { reason: 'derived', derived } };
      },
    });

  test('keeps no caller from the outcome of an event that is done, and the next event sends a wake', async () => {
    const answers: EmitAnswer[] = [];
    const answer = await execute([emitting('topic:t1', answers)], { wake });
    expect(answer).toMatchObject({ deduped: false, run: { status: 'concluded' } });
    expect(answers).toEqual([{ accepted: true }]);
    expect(await signals.enqueue(probeEvent('m3'))).toMatchObject({ accepted: true, wake: 'sent' });
  });

  test('takes what is caused or derived all the same', async () => {
    const answers: EmitAnswer[] = [];
    const answer = await execute([emitting('topic:t2', answers)], { wake });
    expect(answer).toMatchObject({ run: { status: 'concluded' } });
    expect(answers).toEqual([{ accepted: true }]);
    for (const each of ['topic:t2', 'topic:t3'])
      expect(await signals.enqueue(probeEvent('m3', {}, { scopeKey: each }))).toMatchObject({ accepted: true, wake: 'sent' });
  });

  test('keeps the event of a caller that finds it at work', async () => {
    await signals.enqueue(probeEvent('m0'));
    expect(await execute([], { wake })).toMatchObject({ deduped: true, reason: 'scope_locked' });
    expect(await signals.enqueue(probeEvent('m2'))).toMatchObject({ accepted: true, wake: 'sent' });
  });
});

test('an event after an executed one wakes its scope at once', async () => {
  await execute([]);
  expect(await signals.enqueue(probeEvent('m2'))).toMatchObject({ accepted: true, wake: 'sent' });
});
