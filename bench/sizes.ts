/** How many items each row has. */
export interface Sizes {
  /** True at the sizes for which the bars are set. */
  readonly isFull: boolean;
  readonly byItem: number;
  readonly bySlice: number;
  readonly smallJob: number;
  readonly capped: number;
  readonly crowd: number;
  readonly recovery: number;
  /** Events of a scope that is measured alone. */
  readonly events: number;
  readonly memorySmall: number;
  readonly memoryLarge: number;
  /** How long a limiter and a worker are left idle, s. */
  readonly idleSeconds: number;
}

/** Items of the rows dispatched by item; the size for which the bars are set. */
const FULL_ITEMS = 2_000;

const SMALL_JOB = 20;

/** Sizes of a run with so many items by item, the other rows in proportion; a small job and a capped run keep a size at which they mean something. */
export const computeSizes = (items: number = FULL_ITEMS): Sizes => {
  const share = items / FULL_ITEMS;
  const scaled = (full: number, least = SMALL_JOB): number => Math.max(least, Math.round(full * share));
  return {
    isFull: items === FULL_ITEMS,
    byItem: items,
    bySlice: scaled(10_000),
    smallJob: SMALL_JOB,
    capped: scaled(1_000, 100),
    crowd: scaled(5_000, 200),
    recovery: scaled(2_000, 200),
    events: scaled(600, 60),
    memorySmall: scaled(10_000),
    memoryLarge: scaled(100_000),
    idleSeconds: Math.max(5, Math.round(60 * Math.min(1, share))),
  };
};
