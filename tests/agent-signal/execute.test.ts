import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { executeEvent } from '../../activities/agent-signal/execute.ts';
import type { ExecuteDeps } from '../../activities/agent-signal/execute.ts';
import { createAction } from '../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import { createHandlerRegistry } from '../../packages/agent-signal/registry.ts';
import type { ExecutorOutcome } from '../../packages/agent-signal/results.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals } from './signals.ts';
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
});
