import { afterEach, describe, expect, test } from 'vitest';
import { createAction, createSignal } from '../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSignalHandler, defineSourceHandler } from '../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../packages/agent-signal/define.ts';
import type { HandlerContext } from '../../packages/agent-signal/handler-context.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { CreateRigInput, Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 1_000, retryFirstMs: 20, retryMaxMs: 50, attempts: 3, emitWaitMs: 10_000, guardTtlMs: 60_000 };

let rig: Rig;
let signals: Signals;
const ran: string[] = [];

const open = async (handlers: readonly HandlerDefinition[], more: CreateRigInput = {}): Promise<void> => {
  const limits = { ...LIMITS, ...more.signalLimits };
  rig = await createRig({ ...more, signalLimits: limits, policies: () => [defineAgentSignalHandlers('trial', handlers)] });
  signals = createSignals(rig, limits);
  ran.length = 0;
};
afterEach(() => rig.close());

type Context = Parameters<Parameters<typeof defineSourceHandler<'probe.event'>>[0]['handle']>[0];

const source = (id: string, handle: (context: Context) => unknown): HandlerDefinition =>
  defineSourceHandler({
    id,
    on: 'probe.event',
    handle: (context) => {
      ran.push(`${id} ${context.node.sourceId}${context.isResumed ? ' again' : ''}`);
      return handle(context) as never;
    },
  });
const signal = (id: string, on: string, handle: (context: HandlerContext) => unknown): HandlerDefinition =>
  defineSignalHandler({
    id,
    on,
    handle: (context) => {
      ran.push(id);
      return handle(context as never) as never;
    },
  });
const run = async (sourceId = 'm1', payload: object = {}) => {
  const answer = await signals.emit(probeEvent(sourceId, payload));
  if (answer === undefined || answer.deduped) throw new Error('not run');
  return answer.run;
};
const make = (context: { readonly node: unknown }, type: string, id: string) =>
  createSignal({ parent: context.node as never, type, id, payload: {} });

describe('nodes', () => {
  test('N2: results of actions become signals in their order, and an outcome of another shape is a failed action', async () => {
    const act = (key: string) => (context: Context) =>
      createAction({ parent: context.node as never, type: `action.${key}`, id: `a:${key}`, payload: { idempotencyKey: key } });
    const executor = (key: string, outcome: unknown): HandlerDefinition =>
      defineActionHandler({ id: `do.${key}`, on: `action.${key}`, handle: () => outcome as never });
    const error = { code: 'X', message: 'no', retriable: false };
    await open([
      source('start', (context) => ({
        status: 'dispatch',
        actions: ['applied', 'skipped', 'failed', 'odd', 'bare'].map((key) => act(key)(context)),
      })),
      executor('applied', { status: 'applied' }),
      executor('skipped', { status: 'skipped' }),
      executor('failed', { status: 'failed', error }),
      executor('odd', { status: 'applied', error }),
      executor('bare', { status: 'failed' }),
    ]);
    expect(await run()).toMatchObject({ status: 'completed' });
    const { nodes } = await signals.trace('m1');
    const results = nodes.filter(({ kind }) => kind === 'signal');
    expect(results.map(({ type, nodeId }) => `${type} ${nodeId}`)).toEqual([
      'signal.action.applied a:applied:result',
      'signal.action.skipped a:skipped:result',
      'signal.action.failed a:failed:result',
      'signal.action.failed a:odd:result',
      'signal.action.failed a:bare:result',
    ]);
    expect(results.at(-1)?.node).toMatchObject({ payload: { error: { code: 'InvalidHandlerResult' } }, chain: { parentActionId: 'a:bare' } });
  });

  test('N3: a handler that waits names its lane, and what is queued is handled all the same', async () => {
    await open([
      source('wait', () => ({ status: 'wait', pending: { lane: 'x' } })),
      source('go', (context) => ({ status: 'dispatch', signals: [make(context, 'signal.next', 'n1')] })),
      signal('next', 'signal.next', () => null),
    ]);
    expect(await run()).toMatchObject({ status: 'waiting', trace: { results: [{ result: { status: 'wait', pending: { lane: 'x' } } }, {}, {}] } });
    expect(ran).toEqual(['wait m1', 'go m1', 'next']);
    expect(await signals.status()).toMatchObject({ waiting: 1, timers: 1 });
  });

  test('N3: the next event of the lane takes over, and the one before is done, superseded', async () => {
    await open([source('wait', ({ node }) => (node.sourceId === 'm3' ? null : { status: 'wait', pending: { lane: 'x' } }))]);
    await run('m1');
    await run('m2');
    expect(await signals.event('m1')).toMatchObject({ state: 'done', reason: 'superseded' });
    expect(await signals.event('m2')).toMatchObject({ state: 'waiting' });
  });

  test('a wait without a delay that nobody ends is timed out', async () => {
    await open([source('wait', () => ({ status: 'wait', pending: { lane: 'x' } }))], { signalLimits: { laneWaitMs: 300 } });
    await run();
    await signals.ended(1);
    expect(await signals.event('m1')).toMatchObject({ state: 'done', reason: 'timed_out' });
    expect(ran).toEqual(['wait m1']);
  });

  test('N5: of events within the quiet time of a lane the last one runs, once it is over', async () => {
    const at = new Map<string, number>();
    await open([
      source('debounced', async ({ guards, node }) => {
        const verdict = await guards.debounce('lane', 1_500);
        if (verdict === null) at.set(node.sourceId, Date.now());
        return verdict;
      }),
    ]);
    const begin = Date.now();
    await signals.enqueue(probeEvent('m1'));
    await new Promise((resolve) => setTimeout(resolve, begin + 1_000 - Date.now()));
    await signals.enqueue(probeEvent('m2'));
    await new Promise((resolve) => setTimeout(resolve, begin + 1_800 - Date.now()));
    await signals.enqueue(probeEvent('m3'));
    await signals.ended(3);
    expect([...at.keys()]).toEqual(['m1', 'm3']);
    expect((at.get('m3') ?? 0) - begin).toBeGreaterThanOrEqual(3_200);
    expect(await signals.event('m2')).toMatchObject({ state: 'done', reason: 'superseded' });
  });

  test('N5: of two in one period the second waits for its end; another scope is free', async () => {
    await open([source('throttled', async ({ guards }) => guards.throttle('lane', 500))]);
    expect(await run('m1')).toMatchObject({ status: 'completed' });
    expect(await run('m2')).toMatchObject({ status: 'waiting', reason: 'throttled' });
    expect(await signals.emit(probeEvent('x', {}, { scopeKey: 'topic:x' }))).toMatchObject({ run: { status: 'completed' } });
    await signals.ended(2);
    expect(ran).toContain('throttled m2 again');
  });

  test('N5: a lane that began too long ago concludes timed_out', async () => {
    await open([source('bounded', async ({ guards }) => guards.outerTimeout('lane', 100))]);
    expect(await run('m1')).toMatchObject({ status: 'completed' });
    await new Promise((resolve) => setTimeout(resolve, 150));
    expect(await run('m2')).toMatchObject({ status: 'concluded', reason: 'timed_out' });
  });

  test('N6: a scheduled node runs once, in the same chain, also by another worker; a delay beyond a week fails the branch', async () => {
    const later = (delayMs: number) => (context: Context) => ({
      status: 'schedule',
      nextHop: { node: make(context, 'signal.later', `${context.node.sourceId}:later`), key: 'k', delayMs },
    });
    await open([
      source('plan', (context) => later(context.node.sourceId === 'far' ? 8 * 86_400_000 : 1_200)(context)),
      signal('later', 'signal.later', ({ node }) => void ran.push(`depth ${node.chain.depth}`)),
    ]);
    expect(await run('m1')).toMatchObject({ status: 'scheduled' });
    expect(await run('far')).toMatchObject({ status: 'failed', reason: expect.stringContaining('ScheduleOutOfRange') });
    await rig.startWorker();
    await waitUntil({ what: 'm1 done', timeoutMs: 10_000, probe: async () => (await signals.event('m1')).state === 'done' });
    expect(ran).toEqual(['plan m1', 'plan far', 'later', 'depth 1']);
    expect((await signals.trace('m1')).nodes).toMatchObject([{ nodeId: 'm1:later', depth: 1, node: { chain: { rootSourceId: 'm1' } } }]);
  });

  test('N7: a result of seventeen signals stores none of them, and a loop of two ends at the hop limit', async () => {
    let loops = 0;
    await open([
      source('fan', (context) =>
        context.node.sourceId === 'wide'
          ? { status: 'dispatch', signals: Array.from({ length: 17 }, (_, index) => make(context, 'signal.wide', `w${index}`)) }
          : { status: 'dispatch', signals: [make(context, 'signal.ping', 'p1')] },
      ),
      signal('ping', 'signal.ping', (context) => ({ status: 'dispatch', signals: [make(context, 'signal.pong', `q${++loops}`)] })),
      signal('pong', 'signal.pong', (context) => ({ status: 'dispatch', signals: [make(context, 'signal.ping', `r${++loops}`)] })),
    ]);
    expect(await run('wide')).toMatchObject({ status: 'failed', reason: expect.stringContaining('FanOutExceeded'), trace: { nodes: [] } });
    expect(await run('deep')).toMatchObject({ status: 'concluded', reason: 'hop limit reached' });
    expect(ran.filter((id) => id === 'ping' || id === 'pong')).toHaveLength(8);
  });

  test('N7, F11: an action whose write signals its own scope ends at the causation depth', async () => {
    let answers: { readonly accepted: boolean; readonly reason?: string }[] = [];
    await open([
      source('again', async ({ emit, node }) => {
        answers = [...answers, await emit({ sourceType: 'probe.event', sourceId: `${node.sourceId}+`, payload: {} })];
        return null;
      }),
    ]);
    await signals.enqueue(probeEvent('m'));
    await signals.ended(5);
    await waitUntil({ what: 'the last refusal', timeoutMs: 5_000, probe: async () => answers.length === 5 });
    expect(answers.at(-1)).toEqual({ accepted: false, reason: 'cause_depth_exceeded' });
    expect(await signals.count('signal_events')).toBe(5);
  });

  test('N9: a redrive runs only the handler that had failed', async () => {
    let broken = true;
    await open([
      source('first', () => {
        if (broken) throw Object.assign(new Error('no'), { type: 'ProviderRefused', retryable: false });
        return null;
      }),
      source('second', () => null),
    ]);
    expect(await run()).toMatchObject({ status: 'failed', reason: expect.stringContaining('first (m1): ProviderRefused') });
    broken = false;
    await signals.enqueue(probeEvent('m1'));
    await signals.ended(1);
    expect(await signals.event('m1')).toMatchObject({ state: 'done' });
    expect(ran).toEqual(['first m1', 'second m1', 'first m1']);
  });

  test('a provider that asks for a longer pause than attempts may have lets the scope go on, and the event waits for it', async () => {
    let asked = 0;
    await open(
      [
        source('limited', ({ node }) => {
          if (node.sourceId !== 'm1' || asked++ > 0) return null;
          throw Object.assign(new Error('HTTP 429'), { type: 'RateLimited', retryable: true, retryAfterSeconds: 1 });
        }),
      ],
      {},
    );
    expect(await run('m1')).toMatchObject({ status: 'waiting', reason: 'asked to wait 1 s' });
    expect(await run('m2')).toMatchObject({ status: 'completed' });
    await signals.ended(2);
    expect(ran).toEqual(['limited m1', 'limited m2', 'limited m1 again']);
  });
});
