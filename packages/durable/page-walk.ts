import type { ListedPage } from '../contracts/page-activities.ts';
import type { RunPlan } from '../contracts/run-plan.ts';
import type { WorkCounts } from '../contracts/counts.ts';
import { cutPage } from './units.ts';
import type { Unit } from './units.ts';

interface WalkedPage {
  readonly number: number;
  readonly weight: number;
  readonly from: string | null;
  readonly leftBefore: number | null;
  waiting: Unit[];
  open: number;
  begun: boolean;
}

/** Where a walk stands; it begins at a cursor with so many items left to hand out (null: no bound). */
export interface WalkStart {
  readonly cursor: string | null;
  readonly left: number | null;
  readonly work: WorkCounts;
}

const countUnit = (work: WorkCounts, { kind, itemIds, isRepeat }: Unit): WorkCounts => {
  if (isRepeat === true) return work;
  return kind === 'chunk' ? { ...work, chunks: work.chunks + 1 } : { ...work, direct: work.direct + itemIds.length };
};

/**
 * The pages of a run as a pure queue: pages are listed ahead, cut into units, begun in order, and dropped again while unbegun.
 * A page counts when its first unit begins; the cursor to carry over is that of the first unbegun page.
 */
export const createPageWalk = (plan: RunPlan, start: WalkStart) => {
  let { cursor, left, work } = start;
  let isExhausted = left === 0;
  let pages: WalkedPage[] = [];
  const nextNumber = (): number => work.pages + pages.reduce((sum, page) => sum + (page.begun ? 0 : page.weight), 0);

  const begin = (page: WalkedPage): void => {
    if (page.begun) return;
    page.begun = true;
    work = { ...work, pages: work.pages + page.weight };
  };
  const settle = (): void => {
    // A wholly processed page has nothing to begin with: it counts once all before it have begun.
    for (const page of pages) {
      if (!page.begun && page.waiting.length > 0) break;
      begin(page);
    }
    pages = pages.filter((page) => page.waiting.length > 0 || page.open > 0 || !page.begun);
  };

  return {
    /** Where the next listing begins and which page it is, or null when there is none to list or enough pages are in work. */
    nextListing: (): { readonly cursor: string | null; readonly page: number } | null =>
      isExhausted || pages.length > plan.pagesAhead ? null : { cursor, page: nextNumber() + 1 },
    /** Takes a listing's answer in. */
    accept: (listed: ListedPage): void => {
      const itemIds = left === null ? listed.ids : listed.ids.slice(0, left);
      const number = nextNumber() + listed.pages;
      const waiting = [...cutPage(plan, number, itemIds)];
      pages.push({ number, weight: listed.pages, from: cursor, leftBefore: left, waiting, open: 0, begun: false });
      left = left === null ? null : left - itemIds.length;
      cursor = listed.nextCursor;
      isExhausted = cursor === null || left === 0;
      settle();
    },
    /** The next unit to start, without taking it. */
    peek: (): Unit | undefined => pages.find((page) => page.waiting.length > 0)?.waiting[0],
    waitingUnits: (): number => pages.reduce((sum, page) => sum + page.waiting.length, 0),
    /** Takes the next unit: its page has begun. */
    take: (): Unit | undefined => {
      const page = pages.find((candidate) => candidate.waiting.length > 0);
      const unit = page?.waiting.shift();
      if (page === undefined || unit === undefined) return undefined;
      begin(page);
      page.open++;
      work = countUnit(work, unit);
      return unit;
    },
    /** A unit ended; `again` are units of its page to start anew, ahead of the others. */
    finish: (unit: Unit, again: readonly Unit[] = []): void => {
      const page = pages.find(({ number }) => number === unit.page);
      if (page === undefined) return;
      page.open--;
      page.waiting.unshift(...again);
      settle();
    },
    /** Keeps a unit's page open for `count` more units that are still to come. */
    hold: (unit: Unit, count: number): void => {
      const page = pages.find(({ number }) => number === unit.page);
      if (page !== undefined) page.open += count;
    },
    /** Forgets pages that were listed but not begun; the cursor is that of the first of them. */
    dropUnbegun: (): void => {
      const first = pages.find((page) => !page.begun);
      if (first === undefined) return;
      cursor = first.from;
      left = first.leftBefore;
      isExhausted = false;
      pages = pages.filter((page) => page.begun);
    },
    /** Units that the pages begun still owe, waiting or open. */
    owedUnits: (): number => pages.reduce((sum, page) => sum + (page.begun ? page.waiting.length + page.open : 0), 0),
    /** Units of the page that the next unit would begin; 0 when its page has begun or nothing waits. */
    freshUnits: (): number => {
      const next = pages.find((page) => page.waiting.length > 0);
      return next === undefined || next.begun ? 0 : next.waiting.length;
    },
    /** This walk has begun a page, so that whoever goes on from its position makes progress. */
    hasBegun: (): boolean => work.pages > start.work.pages,
    isExhausted: (): boolean => isExhausted && pages.length === 0,
    isIdle: (): boolean => pages.length === 0,
    position: (): WalkStart => ({ cursor, left, work }),
  };
};

export type PageWalk = ReturnType<typeof createPageWalk>;
