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
export class PageWalk {
  readonly #plan: RunPlan;
  readonly #pagesBefore: number;
  #cursor: string | null;
  #left: number | null;
  #work: WorkCounts;
  #isListed: boolean;
  #pages: WalkedPage[] = [];

  constructor(plan: RunPlan, { cursor, left, work }: WalkStart) {
    this.#plan = plan;
    this.#pagesBefore = work.pages;
    this.#cursor = cursor;
    this.#left = left;
    this.#work = work;
    this.#isListed = left === 0;
  }

  /** Where the next listing begins and which page it is, or null when there is none to list or enough pages are in work. */
  nextListing(): { readonly cursor: string | null; readonly page: number } | null {
    if (this.#isListed || this.#pages.length > this.#plan.pagesAhead) return null;
    return { cursor: this.#cursor, page: this.#lastNumber() + 1 };
  }

  /** Takes a listing's answer in. */
  accept(listed: ListedPage): void {
    const itemIds = this.#left === null ? listed.ids : listed.ids.slice(0, this.#left);
    const number = this.#lastNumber() + listed.pages;
    const waiting = [...cutPage(this.#plan, number, itemIds)];
    this.#pages.push({ number, weight: listed.pages, from: this.#cursor, leftBefore: this.#left, waiting, open: 0, begun: false });
    this.#left = this.#left === null ? null : this.#left - itemIds.length;
    this.#cursor = listed.nextCursor;
    this.#isListed = this.#cursor === null || this.#left === 0;
    this.#settle();
  }

  /** The next unit to start, without taking it. */
  peek(): Unit | undefined {
    return this.#nextPage()?.waiting[0];
  }

  /** Items that have not been handed out: listed ones that wait, and those that the run has still to list. */
  openItems(): number {
    return this.#pages.reduce((sum, page) => sum + page.waiting.reduce((items, unit) => items + unit.itemIds.length, 0), this.#left ?? 0);
  }

  waitingUnits(): number {
    return this.#pages.reduce((sum, page) => sum + page.waiting.length, 0);
  }

  /** Takes the next unit, or its first `most` items, in which case the rest waits in its place: its page has begun. */
  take(most = Infinity): Unit | undefined {
    const page = this.#nextPage();
    const unit = page?.waiting.shift();
    if (page === undefined || unit === undefined) return undefined;
    this.#begin(page);
    page.open++;
    this.#work = countUnit(this.#work, unit);
    if (unit.itemIds.length <= most) return unit;
    page.waiting.unshift({ ...unit, itemIds: unit.itemIds.slice(most), isRepeat: true });
    return { ...unit, itemIds: unit.itemIds.slice(0, most) };
  }

  /** A unit ended; `again` are units of its page to start anew, ahead of the others. */
  finish(unit: Unit, again: readonly Unit[] = []): void {
    const page = this.#pageOf(unit);
    if (page === undefined) return;
    page.open--;
    page.waiting.unshift(...again);
    this.#settle();
  }

  /** Keeps a unit's page open for `count` more units that are still to come. */
  hold(unit: Unit, count: number): void {
    const page = this.#pageOf(unit);
    if (page !== undefined) page.open += count;
  }

  /** Forgets pages that were listed but not begun; the cursor is that of the first of them. */
  dropUnbegun(): void {
    const first = this.#pages.find((page) => !page.begun);
    if (first === undefined) return;
    this.#cursor = first.from;
    this.#left = first.leftBefore;
    this.#isListed = false;
    this.#pages = this.#pages.filter((page) => page.begun);
  }

  /** Units that the pages begun still owe, waiting or open. */
  owedUnits(): number {
    return this.#pages.reduce((sum, page) => sum + (page.begun ? page.waiting.length + page.open : 0), 0);
  }

  /** Units of the page that the next unit would begin; 0 when its page has begun or nothing waits. */
  freshUnits(): number {
    const next = this.#nextPage();
    return next === undefined || next.begun ? 0 : next.waiting.length;
  }

  /** This walk has begun a page, so that whoever goes on from its position makes progress. */
  hasBegun(): boolean {
    return this.#work.pages > this.#pagesBefore;
  }

  isExhausted(): boolean {
    return this.#isListed && this.isIdle();
  }

  isIdle(): boolean {
    return this.#pages.length === 0;
  }

  position(): WalkStart {
    return { cursor: this.#cursor, left: this.#left, work: this.#work };
  }

  #nextPage(): WalkedPage | undefined {
    return this.#pages.find((page) => page.waiting.length > 0);
  }

  #pageOf(unit: Unit): WalkedPage | undefined {
    return this.#pages.find(({ number }) => number === unit.page);
  }

  #lastNumber(): number {
    return this.#work.pages + this.#pages.reduce((sum, page) => sum + (page.begun ? 0 : page.weight), 0);
  }

  #begin(page: WalkedPage): void {
    if (page.begun) return;
    page.begun = true;
    this.#work = { ...this.#work, pages: this.#work.pages + page.weight };
  }

  #settle(): void {
    // A wholly processed page has nothing to begin with: it counts once all before it have begun.
    for (const page of this.#pages) {
      if (!page.begun && page.waiting.length > 0) break;
      this.#begin(page);
    }
    this.#pages = this.#pages.filter((page) => page.waiting.length > 0 || page.open > 0 || !page.begun);
  }
}
