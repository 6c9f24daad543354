import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { PROBE_MS } from '../contracts/flow-control.ts';
import type { FlowLimit } from '../contracts/flow-limits.ts';
import { KeyModel, mostInASecond } from './key-model.ts';
import { heldBy } from './limiter-state.ts';

const limit = (parallelism: number | null, ratePerSecond: number | null = null): FlowLimit => ({ parallelism, ratePerSecond });

const keyWith = (bound: FlowLimit, ...runs: readonly number[]) => {
  const key = new KeyModel(bound);
  const opened = runs.map((items, index) => key.open(`run-${index}`, items));
  key.deliverAll();
  return { key, runs: opened };
};

const endAll = (key: KeyModel) => (): void => {
  for (const run of key.runs) key.end(run, run.inUse);
};

describe('permits', () => {
  test('one run gets all that it can use, and one message is enough for as long as that stays so', () => {
    const { key, runs } = keyWith(limit(10), 1_000);
    expect(runs[0]!.inUse).toBe(10);
    for (let item = 0; item < 900; item++) {
      key.end(runs[0]!);
      key.start(runs[0]!);
    }
    key.deliverAll();
    expect(key.messages).toBe(1);
  });

  test('a second run makes the first come down to its fair share as its items end', () => {
    const { key, runs } = keyWith(limit(10), 100);
    const late = key.open('late', 100);
    key.deliverAll();
    expect([runs[0]!.inUse, late.inUse]).toEqual([10, 0]);
    for (let item = 0; item < 5; item++) key.end(runs[0]!);
    key.deliverAll();
    expect([runs[0]!.inUse, late.inUse]).toEqual([5, 5]);
  });

  test('a small run beside a huge one gets what it asks for, and gives it back', () => {
    const { key, runs } = keyWith(limit(10), 5_000);
    const small = key.open('small', 3);
    key.pass(500, endAll(key));
    expect(small.waiting + small.inUse).toBe(0);
    expect(key.state.leases).toHaveLength(1);
    expect(runs[0]!.inUse + runs[0]!.waiting).toBeGreaterThan(0);
    key.pass(500, endAll(key));
    expect(heldBy(key.state.leases[0]!)).toBe(10);
  });

  test('with fewer permits than runs they go round: nobody starves', () => {
    const { key, runs } = keyWith(limit(1), 1_000, 1_000, 1_000);
    key.pass(30_000, endAll(key));
    const started = runs.map(({ name }) => key.starts.filter(({ run }) => run === name).length);
    expect(Math.min(...started)).toBeGreaterThan(50);
  });

  test('a lowered limit takes effect as items end, a raised one at once', () => {
    const { key, runs } = keyWith(limit(10), 100);
    key.apply({ kind: 'configured', limit: limit(2), source: 'operator', isPaused: false });
    key.deliverAll();
    for (let item = 0; item < 8; item++) key.end(runs[0]!);
    key.deliverAll();
    expect(runs[0]!.inUse).toBe(2);
    key.apply({ kind: 'configured', limit: limit(6), source: 'operator', isPaused: false });
    key.deliverAll();
    expect(runs[0]!.inUse).toBe(6);
  });

  test('what a closed run held is free for the others', () => {
    const { key, runs } = keyWith(limit(4), 100, 100);
    for (let item = 0; item < 4; item++) key.end(runs[0]!);
    key.deliverAll();
    key.terminate(runs[0]!);
    key.apply({ kind: 'closed', owner: { workflowId: 'run-0', firstRunId: 'run-0' } });
    key.deliverAll();
    expect(runs[1]!.inUse).toBe(4);
  });

  test('a limiter that lost its memory learns from the runs what they hold', () => {
    const { key, runs } = keyWith(limit(4), 100);
    key.state = new KeyModel(limit(4)).state;
    runs[0]!.gate.repeat();
    key.tell(runs[0]!);
    const late = key.open('late', 100);
    key.deliverAll();
    expect([runs[0]!.inUse, late.inUse]).toEqual([4, 0]);
  });
});

describe('start times', () => {
  test('100 a second: no more in any second, after an idle minute neither, and the total is on time', () => {
    const { key, runs } = keyWith(limit(null, 100), 500);
    key.pass(6_000, endAll(key));
    expect(runs[0]!.waiting).toBe(0);
    const first = key.starts.map(({ atMs }) => atMs);
    expect(mostInASecond(first)).toBeLessThanOrEqual(101);
    expect(Math.max(...first) - Math.min(...first)).toBeGreaterThan(4_900);
    expect(Math.max(...first) - Math.min(...first)).toBeLessThan(5_200);
    key.pass(60_000);
    runs[0]!.waiting = 300;
    key.tell(runs[0]!);
    key.pass(4_000, endAll(key));
    expect(runs[0]!.waiting).toBe(0);
    expect(mostInASecond(key.starts.map(({ atMs }) => atMs))).toBeLessThanOrEqual(101);
  });

  test('F4: a small run beside a huge one shares the rate, and its starts are over in ten seconds', () => {
    const { key } = keyWith(limit(10, 5), 50_000);
    key.pass(5_000, endAll(key));
    const small = key.open('small', 20);
    const from = key.nowMs;
    key.pass(10_000, endAll(key));
    expect(small.waiting).toBe(0);
    const times = key.starts.filter(({ run }) => run === 'small').map(({ atMs }) => atMs - from);
    expect(Math.max(...times)).toBeLessThanOrEqual(10_000);
    expect(mostInASecond(key.starts.map(({ atMs }) => atMs))).toBeLessThanOrEqual(6);
  });

  test('messages to the limiter stay far below one per item', () => {
    const { key, runs } = keyWith(limit(10, 100), 3_000);
    key.pass(32_000, endAll(key));
    expect(runs[0]!.waiting).toBe(0);
    expect(key.messages).toBeLessThan(60);
  });

  test('a time that was not used within a second is void', () => {
    const { key, runs } = keyWith(limit(null, 10), 5);
    const gate = runs[0]!.gate;
    const [grant] = runs[0]!.inbox;
    expect(grant).toBeUndefined();
    key.nowMs += 5_000;
    expect(gate.startable(key.nowMs)).toBe(0);
  });
});

describe('holds and pauses', () => {
  test('a held key starts nothing, then one item alone, then all', () => {
    const { key, runs } = keyWith(limit(4), 100, 100);
    key.pass(300, endAll(key));
    key.apply({ kind: 'held', untilMs: key.nowMs + 10_000 });
    key.deliverAll();
    const heldAt = key.nowMs;
    const during = (from: number, to: number): number => key.starts.filter(({ atMs }) => atMs >= heldAt + from && atMs < heldAt + to).length;
    key.pass(14_000, endAll(key));
    expect(during(1, 10_000)).toBe(0);
    expect(during(10_000, 10_000 + PROBE_MS)).toBe(1);
    expect(during(10_000 + PROBE_MS, 14_000)).toBeGreaterThan(4);
    expect(runs.every(({ inUse }) => inUse <= 4)).toBe(true);
  });

  test('F10: no answer of a provider holds a key for longer than 900 s', () => {
    const { key } = keyWith(limit(4), 100);
    key.apply({ kind: 'held', untilMs: key.nowMs + 36_000_000 });
    expect(key.state.holdUntilMs).toBe(key.nowMs + 900_000);
  });

  test('a paused key starts nothing until it is resumed, and loses nothing', () => {
    const { key, runs } = keyWith(limit(4, 10), 40);
    key.apply({ kind: 'configured', limit: limit(4, 10), source: 'operator', isPaused: true });
    key.deliverAll();
    const before = key.starts.length;
    key.pass(5_000, endAll(key));
    expect(key.starts.length).toBe(before);
    key.apply({ kind: 'configured', limit: limit(4, 10), source: 'operator', isPaused: false });
    key.pass(8_000, endAll(key));
    expect(runs[0]!.waiting).toBe(0);
    expect(key.starts).toHaveLength(40);
  });
});

type Action = readonly ['end' | 'tell' | 'grant' | 'open' | 'kill' | 'wait' | 'limit' | 'hold', number];

const action = fc.tuple(
  fc.constantFrom<Action[0]>('end', 'end', 'end', 'tell', 'tell', 'tell', 'grant', 'grant', 'grant', 'open', 'kill', 'wait', 'limit', 'hold'),
  fc.nat({ max: 20 }),
);

const act = (key: KeyModel, [kind, number]: Action): void => {
  const run = key.runs[number % Math.max(1, key.runs.length)];
  switch (kind) {
    case 'open':
      if (key.runs.length < 5) key.open(`run-${key.runs.length}`, number + 1);
      return;
    case 'tell':
      return key.deliverTell();
    case 'wait':
      key.nowMs += number * 100;
      return key.apply({ kind: 'tick' });
    case 'limit':
      return key.apply({ kind: 'configured', limit: limit((number % 8) + 1), source: 'operator', isPaused: false });
    case 'hold':
      return key.apply({ kind: 'held', untilMs: key.nowMs + number * 100 });
    case 'end':
      if (run !== undefined) key.end(run, 1);
      return;
    case 'grant':
      if (run !== undefined) key.deliverGrant(run);
      return;
    case 'kill':
      if (run === undefined || number % 4 !== 0) return;
      key.terminate(run);
      return key.apply({ kind: 'closed', owner: { workflowId: run.name, firstRunId: run.name } });
    default:
      kind satisfies never;
  }
};

describe('whatever happens, in whatever order messages arrive', () => {
  test('items in flight never exceed the largest limit that was in force, and none is added above a lowered one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.array(action, { maxLength: 150 }), (parallelism, actions) => {
        const key = new KeyModel(limit(parallelism));
        for (const each of actions) {
          const before = key.inUse();
          act(key, each);
          expect(key.inUse()).toBeLessThanOrEqual(Math.max(before, 8));
        }
      }),
      { numRuns: 300 },
    );
  });

  test('with one limit, items in flight never exceed it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(action, { maxLength: 200 }), (parallelism, actions) => {
        const key = new KeyModel(limit(parallelism));
        for (const each of actions) {
          if (each[0] !== 'limit') act(key, each);
          expect(key.inUse()).toBeLessThanOrEqual(parallelism);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('no permit is lost and no run is forgotten: in the end every item has started, and all permits are back', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(action, { maxLength: 100 }), (parallelism, actions) => {
        const key = new KeyModel(limit(parallelism));
        for (const each of actions) act(key, each);
        key.pass(60_000, endAll(key), 500);
        expect(key.runs.reduce((sum, run) => sum + run.waiting + run.inUse, 0)).toBe(0);
        expect(key.state.leases).toEqual([]);
      }),
      { numRuns: 150 },
    );
  });

  test('starts are never closer than the rate allows, whoever asks and whenever', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.array(action, { maxLength: 80 }), (rate, actions) => {
        const key = new KeyModel(limit(null, rate));
        for (const each of actions) if (each[0] !== 'limit' && each[0] !== 'hold') act(key, each);
        key.pass(5_000, endAll(key), 100);
        const granted = key.starts.map(({ atMs }) => atMs);
        expect(mostInASecond(granted)).toBeLessThanOrEqual(2 * rate + 2);
      }),
      { numRuns: 100 },
    );
  });
});
