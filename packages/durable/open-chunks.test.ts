import { beforeEach, describe, expect, test } from 'vitest';
import type { ChunkDeal } from '../contracts/flow-messages.ts';
import { Gate } from '../flow-control/gate.ts';
import { OpenChunks } from './open-chunks.ts';
import { apartFor } from './start-dealing.ts';
import type { ChunkHandle } from './unit-runner.ts';
import type { Unit } from './units.ts';

const OWNER = { workflowId: 'run', firstRunId: 'first' };
const LIMIT = { parallelism: 4, ratePerSecond: 10 };
const NOW = 10_000;

let gate: Gate;
let chunks: OpenChunks;

const grant = (starts: readonly number[], ratePerSecond: number | null = 10): void => {
  const limit = { ...LIMIT, ratePerSecond };
  const terms = { target: null, isPaused: false, holdUntilMs: null, isProbe: false };
  gate.accept({ v: 1, key: 'k', firstRunId: OWNER.firstRunId, limit, granted: 4, ...terms, starts }, NOW);
};

const unitOf = (chunk: number, items: number): Unit => ({
  kind: 'chunk',
  page: 1,
  chunk,
  itemIds: Array.from({ length: items }, (_, index) => `${chunk}-${index}`),
});

/** Starts a chunk's child; answers the list of what it is sent from then on. */
const start = (unit: Unit): ChunkDeal[] => {
  const sent: ChunkDeal[] = [];
  const handle = { signal: async (_name: string, given: ChunkDeal) => void sent.push(given) };
  chunks.started(unit, handle as unknown as ChunkHandle);
  return sent;
};

/** Opens a chunk and starts its child. */
const run = (unit: Unit, lanes: number, isPaced: boolean): ChunkDeal[] => {
  chunks.open(unit, lanes, isPaced);
  chunks.leave(unit);
  return start(unit);
};

const batch = (count: number): readonly number[] => Array.from({ length: count }, (_, index) => NOW + 100 * index);

beforeEach(() => {
  gate = new Gate({ key: 'k', limit: LIMIT }, OWNER);
  chunks = new OpenChunks();
});

describe('start times that a batch brings', () => {
  test('go to the chunks in turn, by their lanes, so that none waits for the others to finish', () => {
    const units = [unitOf(1, 20), unitOf(2, 20)];
    chunks.open(units[0] as Unit, 2, true);
    chunks.open(units[1] as Unit, 1, true);
    grant(batch(9));
    chunks.deal(gate, NOW, { perLane: 3, apartMs: 0 });
    expect(units.map((unit) => chunks.leave(unit)?.map((time) => (time - NOW) / 100))).toEqual([
      [0, 2, 3, 5, 6, 8],
      [1, 4, 7],
    ]);
    expect(chunks.needs(gate, 0)).toBe(31);
  });

  test('stay with the run beyond a chunk’s share, for the chunk that follows', () => {
    const [first, second] = [unitOf(1, 20), unitOf(2, 20)];
    chunks.open(first, 1, true);
    grant(batch(8));
    chunks.deal(gate, NOW, { perLane: 4, apartMs: 0 });
    expect(chunks.leave(first)).toHaveLength(4);
    chunks.open(second, 1, true);
    chunks.deal(gate, NOW, { perLane: 4, apartMs: 0 });
    expect(chunks.leave(second)).toEqual(batch(8).slice(4));
  });

  test('reach a child that runs as one message, and one that is starting not at all', () => {
    const [first, second] = [unitOf(1, 20), unitOf(2, 20)];
    for (const unit of [first, second]) {
      chunks.open(unit, 1, true);
      chunks.leave(unit);
    }
    const sent = start(first);
    grant(batch(4));
    chunks.deal(gate, NOW, { perLane: 4, apartMs: 0 });
    expect(sent).toEqual([{ starts: batch(4) }]);
    expect(gate.startable(NOW)).toBe(0);
    expect(chunks.needs(gate, 0)).toBe(36);
  });

  test('are dealt to slow lanes as far apart as they can use them, and more are asked for than they have items', () => {
    const sent = run(unitOf(1, 10), 2, true);
    grant(batch(10));
    chunks.deal(gate, NOW, { perLane: Infinity, apartMs: 0 });
    chunks.hear({ page: 1, chunk: 1, freed: 0, starts: 8, laneMs: 750 });
    expect(chunks.needs(gate, 750)).toBe(30);
    grant(batch(10).map((time) => time + 1_000));
    chunks.deal(gate, NOW + 1_000, { perLane: Infinity, apartMs: apartFor(750) });
    expect(sent.at(-1)?.starts?.map((time) => time - NOW)).toEqual([1_000, 1_300, 1_600, 1_900]);
  });
});

test('a child that is started a second time needs all times again but those of its input', () => {
  const unit = unitOf(1, 10);
  chunks.open(unit, 1, true);
  grant(batch(2));
  chunks.deal(gate, NOW, { perLane: Infinity, apartMs: 0 });
  chunks.leave(unit);
  start(unit);
  grant(batch(8));
  chunks.deal(gate, NOW + 2_000, { perLane: Infinity, apartMs: 0 });
  expect(chunks.needs(gate, 0)).toBe(8);
  grant(batch(8).map((time) => time + 3_000));
  chunks.deal(gate, NOW + 3_000, { perLane: Infinity, apartMs: 0 });
  expect(chunks.needs(gate, 0)).toBe(0);
  start(unit);
  expect(chunks.needs(gate, 0)).toBe(8);
});

test('a limit that loses its rate lets chunks go on at once, and one that gets a rate makes them ask', () => {
  const sent = run(unitOf(1, 10), 2, true);
  grant([], null);
  chunks.deal(gate, NOW, { perLane: Infinity, apartMs: 0 });
  expect(sent).toEqual([{ starts: null }]);
  expect(chunks.needs(gate, 0)).toBe(0);
  grant([]);
  chunks.deal(gate, NOW, { perLane: Infinity, apartMs: 0 });
  expect(sent.at(-1)).toEqual({ starts: [] });
  chunks.hear({ page: 1, chunk: 1, freed: 0, starts: 6, laneMs: 0 });
  expect(chunks.needs(gate, 0)).toBe(6);
});

test('lanes that a run may not keep come from the chunks that have most', () => {
  const units = [unitOf(1, 9), unitOf(2, 9)];
  const sent = units.map((unit, index) => run(unit, index === 0 ? 3 : 1, false));
  chunks.shed(2);
  expect(sent).toEqual([[{ lanes: 1 }], []]);
  chunks.shed(2);
  expect(sent).toEqual([[{ lanes: 1 }], []]);
  expect(chunks.hear({ page: 1, chunk: 1, freed: 2, starts: 0, laneMs: 0 })).toBe(2);
  expect(units.map((unit) => chunks.close(unit))).toEqual([1, 1]);
});

describe('lanes that are idle', () => {
  const sentTo = (lanes: readonly number[]): ChunkDeal[][] => lanes.map((count, index) => run(unitOf(index + 1, 9), count, false));

  test('are lent to the chunks with the fewest, and come back with their end', () => {
    const sent = sentTo([1, 4]);
    expect(chunks.appetite()).toBe(13);
    expect(chunks.lend(5)).toBe(5);
    expect(sent).toEqual([[{ more: 4 }], [{ more: 1 }]]);
    expect([1, 2].map((chunk) => chunks.close({ page: 1, chunk }))).toEqual([5, 5]);
  });

  test('are not lent to a chunk that gave some back, nor to one that has a lane for each item', () => {
    const sent = sentTo([2, 9]);
    expect(chunks.hear({ page: 1, chunk: 1, freed: 1, starts: 0, laneMs: 0 })).toBe(1);
    expect([chunks.appetite(), chunks.lend(3)]).toEqual([0, 0]);
    expect(sent).toEqual([[], []]);
  });

  test('a chunk that came down as it was told may take lanes again', () => {
    const sent = sentTo([3]);
    chunks.shed(2);
    expect(chunks.appetite()).toBe(0);
    chunks.hear({ page: 1, chunk: 1, freed: 2, starts: 0, laneMs: 0 });
    expect(chunks.lend(1)).toBe(1);
    expect(sent).toEqual([[{ lanes: 1 }, { more: 1 }]]);
  });
});
