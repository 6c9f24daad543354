import { Context } from '@temporalio/activity';
import { afterEach, describe, expect, test } from 'vitest';
import { createAgentSignalScopeActivities } from '../../activities/agent-signal-scope.ts';
import { createSignal } from '../../packages/agent-signal/builders.ts';
import { defineAgentSignalHandlers, defineSignalHandler, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import type { StepRequest } from '../../packages/contracts/signal-activities.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { CreateRigInput, Rig } from '../../packages/testing/rig.ts';
import { createActivities } from '../../workers/deps.ts';
import type { WorkerDeps } from '../../workers/deps.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 1_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3 };
const RUN_HANDLER = 'agentSignalScope.runHandler';

let rig: Rig;
let signals: Signals;
const ran: string[] = [];
/** What holds a handler up until the test lets it go on. */
let gate: PromiseWithResolvers<null>;

const open = async (handlers: readonly HandlerDefinition[], more: CreateRigInput = {}): Promise<void> => {
  const limits = { ...LIMITS, ...more.signalLimits };
  rig = await createRig({ ...more, signalLimits: limits, policies: () => [defineAgentSignalHandlers('trial', handlers)] });
  signals = createSignals(rig, limits);
  gate = Promise.withResolvers();
  ran.length = 0;
};
afterEach(async () => {
  gate.resolve(null);
  await rig.close();
});

type SourceContext = Parameters<Parameters<typeof defineSourceHandler<'probe.event'>>[0]['handle']>[0];

const source = (id: string, handle: (context: SourceContext) => unknown): HandlerDefinition =>
  defineSourceHandler({
    id,
    on: 'probe.event',
    handle: (context) => {
      ran.push(`${id} ${context.node.sourceId}`);
      return handle(context) as never;
    },
  });

const begun = (call: string) => waitUntil({ what: `${call} to begin`, timeoutMs: 10_000, probe: async () => ran.includes(call) });
/** Sends events to the scope until it takes no more; answers their ids. */
const fill = async (sent: readonly string[] = []): Promise<readonly string[]> => {
  const id = `m${sent.length}`;
  try {
    await signals.enqueue(probeEvent(id));
  } catch (error) {
    expect(error).toMatchObject({ type: 'BacklogFull' });
    return sent;
  }
  return fill([...sent, id]);
};
const failedActivities = async (): Promise<readonly (string | null | undefined)[]> => {
  const { events } = await signals.scope().fetchHistory();
  return (events ?? []).flatMap(({ activityTaskFailedEventAttributes: failed }) => (failed ? [failed.failure?.message] : []));
};

test('a node that is due while other events wait runs once, before them, and no claim is lost over it', async () => {
  await open([
    source('plan', (context) => {
      if (context.node.sourceId === 'busy') return gate.promise;
      if (context.node.sourceId !== 'm1') return null;
      const node = createSignal({ parent: context.node, type: 'signal.later', id: 'm1:later', payload: {} });
      return { status: 'schedule', nextHop: { node, key: 'k', delayMs: 3_600_000 } };
    }),
    defineSignalHandler({ id: 'later', on: 'signal.later', handle: () => void ran.push('later') as never }),
  ]);
  expect(await signals.emit(probeEvent('m1'))).toMatchObject({ run: { status: 'scheduled' } });
  await signals.enqueue(probeEvent('busy'));
  await begun('plan busy');
  for (const id of ['m2', 'm3']) await signals.enqueue(probeEvent(id));
  await rig.pool.query('update signal_timers set due_at = now()');
  gate.resolve(null);
  await signals.ended(4);
  expect(ran).toEqual(['plan m1', 'plan busy', 'later', 'plan m2', 'plan m3']);
  expect(await failedActivities()).toEqual([]);
});

test('what a handler derives finds a place in a scope that takes no more from its producers', async () => {
  await open(
    [
      source('stored', ({ node }) => {
        if (node.sourceId === 'busy') return gate.promise;
        if (node.sourceId !== 'said') return null;
        const derived = { sourceType: 'probe.event', sourceId: 'said:stored', scopeKey: 'topic:t1', payload: {} };
        return { status: 'conclude', concluded: { reason: 'hydrated', derived } };
      }),
    ],
    { signalLimits: { pending: 3 } },
  );
  await signals.enqueue(probeEvent('busy'));
  await begun('stored busy');
  const waiting = await fill();
  expect(await signals.emit(probeEvent('said', {}, { scopeKey: 'topic:other' }))).toMatchObject({ run: { status: 'concluded', reason: 'hydrated' } });
  expect(await signals.event('said:stored')).toMatchObject({ state: 'pending' });
  gate.resolve(null);
  await signals.ended(waiting.length + 2);
  expect(await signals.endOrder()).toEqual(['busy', ...waiting, 'said:stored']);
});

describe('an answer that was stored by an attempt which nobody heard of', () => {
  /** The first attempt of a handler is made by another process than the one that claimed; it stores the answer and is gone. */
  const withLostFirst = (lost: string) => (deps: WorkerDeps) => {
    const here = createActivities(deps) as Record<string, (request: StepRequest) => Promise<unknown>>;
    const elsewhere = createAgentSignalScopeActivities(deps);
    return {
      ...here,
      [RUN_HANDLER]: async (request: StepRequest) => {
        if (request.handlerId !== lost || Context.current().info.attempt > 1) return here[RUN_HANDLER]?.(request);
        await elsewhere[RUN_HANDLER]?.(request as never);
        throw new Error('the process is gone');
      },
    };
  };

  test('is the answer of the next attempt, in the process that claimed the event, too', async () => {
    await open([source('first', () => null), source('second', () => null)], { activities: withLostFirst('first') });
    await signals.enqueue(probeEvent('m1'));
    await signals.ended(1);
    expect(ran).toEqual(['first m1', 'second m1']);
    expect(await signals.event('m1')).toMatchObject({ state: 'done', outcome: 'completed' });
    expect((await signals.trace('m1')).results).toMatchObject([{ handlerId: 'first', attempt: 1 }, { handlerId: 'second' }]);
  });
});
