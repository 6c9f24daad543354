import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { probeContract } from '../contracts/probe.ts';
import { PageWalk } from './page-walk.ts';
import type { WalkStart } from './page-walk.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { Unit } from './units.ts';

const BEGIN: WalkStart = { cursor: null, left: null, work: { pages: 0, chunks: 0, direct: 0 } };

interface Table {
  readonly open: readonly boolean[];
  readonly pageSize: number;
}

/** What a listing of a table of rows answers: wholly processed pages are passed over as `listPage` does. */
const list = ({ open, pageSize }: Table, cursor: string | null) => {
  const start = cursor === null ? 0 : Number(cursor);
  const next = open.indexOf(true, start);
  const pages = next < 0 ? Math.max(1, Math.ceil((open.length - start) / pageSize)) : Math.floor((next - start) / pageSize) + 1;
  const from = start + (pages - 1) * pageSize;
  const ids = open.slice(from, from + pageSize).flatMap((isOpen, index) => (isOpen ? [`i${from + index}`] : []));
  const nextCursor = from + pageSize < open.length ? String(from + pageSize) : null;
  return { ids, pages, skippedItems: Math.min(open.length, from + pageSize) - start - ids.length, nextCursor };
};

interface Walked {
  readonly ids: string[];
  readonly end: WalkStart;
  readonly runs: number;
}

interface Walking {
  readonly plan: RunPlan;
  /** Decides what happens next: list, take, finish, or drain and go on as a new run. */
  readonly choose: () => number;
}

/** Walks from a position until the table is exhausted or the walk has drained; hands its ids to `ids`. */
const walkRun = (table: Table, walk: PageWalk, { choose, ids }: Pick<Walking, 'choose'> & { readonly ids: string[] }): void => {
  const open: Unit[] = [];
  let isDraining = false;
  while (!walk.isExhausted() && !(isDraining && walk.isIdle())) {
    const choice = choose() % 8;
    isDraining ||= choice === 0 && walk.hasBegun();
    if (isDraining) walk.dropUnbegun();
    const listing = isDraining ? null : walk.nextListing();
    if (choice < 3 && listing !== null) walk.accept(list(table, listing.cursor));
    else if (choice < 6 && walk.peek() !== undefined) {
      const unit = walk.take() as Unit;
      ids.push(...unit.itemIds);
      open.push(unit);
    } else if (open.length > 0) walk.finish(open.splice(choose() % open.length, 1)[0] as Unit);
  }
};

/** Walks a table to its end over as many runs as it takes. */
const walkAll = (table: Table, start: WalkStart, { plan, choose }: Walking): Walked => {
  const ids: string[] = [];
  let [end, runs, isExhausted] = [start, 0, false];
  while (!isExhausted) {
    const walk = new PageWalk(plan, end);
    walkRun(table, walk, { choose, ids });
    end = walk.position();
    isExhausted = walk.isExhausted();
    runs++;
  }
  return { ids, end, runs };
};

const table = fc.record({ open: fc.array(fc.boolean(), { maxLength: 120 }), pageSize: fc.integer({ min: 1, max: 20 }) });
const plans = fc.record({
  chunkSize: fc.integer({ min: 1, max: 20 }),
  pagesAhead: fc.integer({ min: 0, max: 3 }),
  dispatch: fc.constantFrom('item' as const, 'slice' as const),
});
const choices = fc.infiniteStream(fc.nat());

const planOf = (chosen: object, { pageSize }: Table) => ({ ...probeContract.plan, ...chosen, pageSize });
const openIds = ({ open }: Table): string[] => open.flatMap((isOpen, index) => (isOpen ? [`i${index}`] : []));

describe('a walk over any table, in any order of events', () => {
  test('hands out every open id exactly once and in page order, also when it is dropped and goes on from its position', () => {
    fc.assert(
      fc.property(table, plans, choices, (rows, chosen, stream) => {
        const { ids } = walkAll(rows, BEGIN, { plan: planOf(chosen, rows), choose: () => stream.next().value as number });
        expect(ids).toEqual(openIds(rows));
      }),
    );
  });

  test('counts the same pages, chunks and direct items however often it went on as a new run', () => {
    fc.assert(
      fc.property(table, plans, choices, (rows, chosen, stream) => {
        const plan = planOf(chosen, rows);
        const straight = walkAll(rows, BEGIN, { plan, choose: () => 1 + ((stream.next().value as number) % 7) });
        const renewed = walkAll(rows, BEGIN, { plan, choose: () => stream.next().value as number });
        expect(straight.runs).toBe(1);
        expect(renewed.end.work).toEqual(straight.end.work);
        expect(straight.end.work.pages).toBe(Math.max(1, Math.ceil(rows.open.length / rows.pageSize)));
      }),
    );
  });

  test('hands out no more than it may, and exactly so many when there are enough', () => {
    fc.assert(
      fc.property(table, plans, fc.nat(60), choices, (rows, chosen, left, stream) => {
        const { ids, end } = walkAll(rows, { ...BEGIN, left }, { plan: planOf(chosen, rows), choose: () => stream.next().value as number });
        expect(ids).toEqual(openIds(rows).slice(0, left));
        expect(end.left).toBe(left - ids.length);
      }),
    );
  });
});

describe('the walk of one run', () => {
  const plan = { ...probeContract.plan, pageSize: 50, chunkSize: 20, pagesAhead: 2 };
  const rows: Table = { open: Array.from({ length: 500 }, () => true), pageSize: 50 };

  test('lists at most the pages ahead beyond the one in work', () => {
    const walk = new PageWalk(plan, BEGIN);
    for (let listing = walk.nextListing(); listing !== null; listing = walk.nextListing()) walk.accept(list(rows, listing.cursor));
    expect(walk.waitingUnits()).toBe(9);
    expect(walk.owedUnits()).toBe(0);
    expect(walk.freshUnits()).toBe(3);
  });

  test('counts a page when its first unit begins and carries the cursor of the first unbegun one', () => {
    const walk = new PageWalk(plan, BEGIN);
    for (let listing = walk.nextListing(); listing !== null; listing = walk.nextListing()) walk.accept(list(rows, listing.cursor));
    const unit = walk.take() as Unit;
    expect(walk.hasBegun()).toBe(true);
    expect([walk.owedUnits(), walk.freshUnits()]).toEqual([3, 0]);
    walk.dropUnbegun();
    expect(walk.position()).toEqual({ cursor: '50', left: null, work: { pages: 1, chunks: 1, direct: 0 } });
    walk.finish(unit);
    walk.finish(walk.take() as Unit);
    expect(walk.isIdle()).toBe(false);
    walk.finish(walk.take() as Unit);
    expect(walk.isIdle()).toBe(true);
    expect(walk.isExhausted()).toBe(false);
  });

  test('counts a unit that is scheduled again only once, and keeps its page open for retries that wait', () => {
    const walk = new PageWalk({ ...plan, dispatch: 'slice' }, { ...BEGIN, left: 20 });
    walk.accept(list(rows, null));
    const unit = walk.take() as Unit;
    walk.hold(unit, 1);
    walk.finish(unit, [{ ...unit, itemIds: ['i0', 'i1'], isRepeat: true }]);
    const again = walk.take() as Unit;
    expect(again.itemIds).toEqual(['i0', 'i1']);
    walk.finish(again);
    expect(walk.isExhausted()).toBe(false);
    walk.finish(unit, []);
    expect(walk.isExhausted()).toBe(true);
    expect(walk.position().work).toEqual({ pages: 1, chunks: 0, direct: 20 });
  });

  test('begins pages without open rows as soon as all before them have begun', () => {
    const walk = new PageWalk({ ...plan, pageSize: 2, chunkSize: 2 }, BEGIN);
    walk.accept({ ids: [], pages: 200, skippedItems: 400, nextCursor: 'x' });
    expect(walk.position()).toEqual({ cursor: 'x', left: null, work: { pages: 200, chunks: 0, direct: 0 } });
    walk.accept({ ids: ['a'], pages: 1, skippedItems: 1, nextCursor: 'y' });
    walk.accept({ ids: [], pages: 3, skippedItems: 6, nextCursor: null });
    expect(walk.position().work.pages).toBe(200);
    walk.finish(walk.take() as Unit);
    expect(walk.position().work.pages).toBe(204);
    expect(walk.isExhausted()).toBe(true);
  });
});
