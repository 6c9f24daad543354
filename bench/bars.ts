import { DISPATCHES } from './figures.ts';
import type { RecoveryTrial, RowFigures } from './figures.ts';
import type { Ratios } from './ratios.ts';
import type { Row } from './row.ts';
import type { TrialRowName } from './row-names.ts';
import { roundTo } from './statistics.ts';

/** A bar and what was measured against it; `met` is null where it was not measured, or not at the size for which the bar is set. */
export interface Bar {
  readonly what: string;
  readonly bar: string;
  readonly measured: number | null;
  readonly met: boolean | null;
}

type Figures = { readonly [N in TrialRowName]?: RowFigures[N] };

interface BarSpec {
  readonly what: string;
  readonly row: Row['name'];
  readonly op: '≤' | '≥';
  readonly limit: number;
  readonly unit?: string;
  readonly measure: (figures: Figures, ratios: Ratios) => number | undefined;
}

const minus = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined ? undefined : left - right;
const over = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined || right === undefined || right === 0 ? undefined : left / right;

const RATIO_BARS: readonly BarSpec[] = [
  { what: 'item, of floorTemporal', row: 'item', op: '≥', limit: 0.75, measure: (_, { item }) => item },
  { what: 'slice, of floorPg', row: 'slice', op: '≥', limit: 0.45, measure: (_, { slice }) => slice },
  { what: 'sliceTx, of floorPg', row: 'sliceTx', op: '≥', limit: 0.27, measure: (_, { sliceTx }) => sliceTx },
  { what: 'sliceCap, of floorPg', row: 'sliceCap', op: '≥', limit: 0.4, measure: (_, { sliceCap }) => sliceCap },
];

const CAP_BARS: readonly BarSpec[] = [
  ...DISPATCHES.map((by): BarSpec => ({
    what: `cap 10 by ${by}: most at once`,
    row: 'cap',
    op: '≤',
    limit: 10,
    measure: ({ cap }) => cap?.[`${by}MaxOverlap`],
  })),
  { what: 'cap 10 by slice: time, of the ideal', row: 'cap', op: '≤', limit: 1.25, measure: ({ cap }) => over(cap?.sliceSeconds, cap?.idealSeconds) },
  { what: 'cap 10 by item: time, of its floor', row: 'cap', op: '≤', limit: 1.25, measure: ({ cap }) => over(cap?.itemSeconds, cap?.floorSeconds) },
];

const RATE_BARS: readonly BarSpec[] = DISPATCHES.flatMap((by): readonly BarSpec[] => [
  { what: `100/s by ${by}: most starts in a second`, row: 'rate', op: '≤', limit: 110, measure: ({ rate }) => rate?.[`${by}MaxStarts`] },
  {
    what: `100/s by ${by}, after idling: most starts in a second`,
    row: 'rate',
    op: '≤',
    limit: 110,
    measure: ({ rate }) => rate?.[`${by}AfterIdleMaxStarts`],
  },
  {
    what: `100/s by ${by}: time, of the ideal`,
    row: 'rate',
    op: '≤',
    limit: 1.15,
    measure: ({ rate }) => over(rate?.[`${by}Seconds`], rate?.idealSeconds),
  },
]);

const FAIR_BARS: readonly BarSpec[] = DISPATCHES.map((by) => ({
  what: `20 beside 5,000 on one key by ${by}: time, of alone`,
  row: 'fair',
  op: '≤',
  limit: 3,
  measure: ({ fair }) => over(fair?.[`${by}BesideMs`], fair?.[`${by}AloneMs`]),
}));

const RECOVERY_TRIALS: Readonly<Record<RecoveryTrial, string>> = {
  only: 'kill -9 of the only worker',
  onlyLimited: 'kill -9 of the only worker, under a limit',
  oneOfTwo: 'kill -9 of one of two workers',
  oneOfTwoParent: 'kill -9 of the one that held the parent',
  oneOfTwoLimiter: 'kill -9 of the one that held the limiter',
};

const recoveryBars = (trial: RecoveryTrial, suffix: '' | 'Slice'): readonly BarSpec[] => {
  const what = `${RECOVERY_TRIALS[trial]}, by ${suffix === '' ? 'item' : 'slice'}`;
  const key = `${trial}${suffix}` as const;
  const common = { row: 'recovery', op: '≤' } as const;
  const gap: BarSpec = {
    ...common,
    what: `${what}: longest gap`,
    limit: 3,
    unit: 's',
    measure: ({ recovery }) => recovery?.[`${key}LongestGapSeconds`],
  };
  const back: readonly BarSpec[] = [
    { ...common, what: `${what}: first new item`, limit: 4, unit: 's', measure: ({ recovery }) => recovery?.[`${key}FirstNewItemSeconds`] },
    {
      ...common,
      what: `${what}: last item, beyond the other half`,
      limit: 6,
      unit: 's',
      measure: ({ recovery }) => minus(recovery?.[`${key}LastItemSeconds`], recovery?.[`${key}HalfSeconds`]),
    },
  ];
  return [
    ...(trial.startsWith('oneOfTwo') ? [gap] : []),
    ...(trial === 'oneOfTwo' ? [] : back),
    {
      ...common,
      what: `${what}: executed twice, beyond those in flight`,
      limit: 0,
      measure: ({ recovery }) => minus(recovery?.[`${key}ExecutedTwice`], recovery?.[`${key}InFlight`]),
    },
    { ...common, what: `${what}: not done`, limit: 0, measure: ({ recovery }) => recovery?.[`${key}NotDone`] },
  ];
};

const HOLDER_BARS: readonly BarSpec[] = DISPATCHES.flatMap((by): readonly BarSpec[] => [
  {
    what: `holder of 10 permits terminated, by ${by}: permits back`,
    row: 'holder',
    op: '≤',
    limit: 5,
    unit: 's',
    measure: ({ holder }) => holder?.[`${by}PermitsBackSeconds`],
  },
  {
    what: `holder of 10 permits terminated, by ${by}: most at once`,
    row: 'holder',
    op: '≤',
    limit: 10,
    measure: ({ holder }) => holder?.[`${by}MaxOverlap`],
  },
]);

const OTHER_BARS: readonly BarSpec[] = [
  { what: '20-item job, start to result', row: 'smallJob', op: '≤', limit: 500, unit: 'ms', measure: ({ smallJob }) => smallJob?.medianMs },
  { what: '20-item job: activities around the items', row: 'smallJob', op: '≤', limit: 5, measure: ({ smallJob }) => smallJob?.activitiesAround },
  { what: 'idle worker, CPU a second', row: 'idle', op: '≤', limit: 15, unit: 'ms', measure: ({ idle }) => idle?.workerCpuMsPerSecond },
  {
    what: '100,000 items by slice: peak memory, of that at 10,000',
    row: 'memory',
    op: '≤',
    limit: 1.3,
    measure: ({ memory }) => over(memory?.largePeakRssMb, memory?.smallPeakRssMb),
  },
  ...DISPATCHES.flatMap((by): readonly BarSpec[] => [
    {
      what: `limiter of one run, by ${by}: messages a chunk`,
      row: 'limiter',
      op: '≤',
      limit: 2,
      measure: ({ limiter }) => limiter?.[`${by}MessagesPerChunk`],
    },
    {
      what: `limiter of two runs, by ${by}: messages a chunk`,
      row: 'limiter',
      op: '≤',
      limit: 2,
      measure: ({ limiter }) => limiter?.[`${by}SharedMessagesPerChunk`],
    },
  ]),
];

const SIGNAL_BARS: readonly BarSpec[] = [
  {
    what: 'signals, finished in one scope: of raw activities in sequence',
    row: 'signals',
    op: '≥',
    limit: 0.7,
    measure: ({ signals }) => over(signals?.finishedPerSecond, signals?.floorSequentialPerSecond),
  },
  {
    what: 'signals, finished over 200 scopes: of 200 such',
    row: 'signals',
    op: '≥',
    limit: 0.6,
    measure: ({ signals }) => over(signals?.finishedScopesPerSecond, signals?.floorScopesPerSecond),
  },
  { what: 'signals, accepted into one scope, a second', row: 'signals', op: '≥', limit: 200, measure: ({ signals }) => signals?.acceptedPerSecond },
  {
    what: 'signals, accepted over 200 scopes: of raw signalWithStart',
    row: 'signals',
    op: '≥',
    limit: 0.7,
    measure: ({ signals }) => over(signals?.acceptedScopesPerSecond, signals?.floorAcceptedScopesPerSecond),
  },
  {
    what: 'signals, enqueue when quiet: p95, of insert and signalWithStart',
    row: 'signals',
    op: '≤',
    limit: 2,
    measure: ({ signals }) => over(signals?.quietP95Ms, signals?.floorQuietP95Ms),
  },
  { what: 'signals, emit to applied: p50', row: 'signals', op: '≤', limit: 250, unit: 'ms', measure: ({ signals }) => signals?.appliedP50Ms },
  { what: 'signals, activities an event', row: 'signals', op: '≤', limit: 1.2, measure: ({ signals }) => signals?.activitiesPerEvent },
  { what: 'signals, history events an event', row: 'signals', op: '≤', limit: 8, measure: ({ signals }) => signals?.historyEventsPerEvent },
];

const SPECS: readonly BarSpec[] = [
  ...RATIO_BARS,
  ...CAP_BARS,
  ...RATE_BARS,
  ...FAIR_BARS,
  ...(Object.keys(RECOVERY_TRIALS) as RecoveryTrial[]).flatMap((trial) => [...recoveryBars(trial, ''), ...recoveryBars(trial, 'Slice')]),
  ...HOLDER_BARS,
  ...SIGNAL_BARS,
  ...OTHER_BARS,
];

/** Judges the rows that were measured. A row with a problem meets no bar; at reduced size none is judged. */
export const judge = (rows: readonly Row[], ratios: Ratios, isFull: boolean): readonly Bar[] => {
  const figures = Object.fromEntries(rows.map(({ name, figures: own }) => [name, own])) as Figures;
  return SPECS.flatMap(({ what, row: name, op, limit, unit, measure }) => {
    const row = rows.find((each) => each.name === name);
    if (row === undefined) return [];
    const value = measure(figures, ratios);
    const holds = value !== undefined && (op === '≤' ? value <= limit : value >= limit);
    const met = row.problem !== undefined ? false : value === undefined || !isFull ? null : holds;
    return [
      {
        what,
        bar: `${op} ${limit.toLocaleString('en')}${unit === undefined ? '' : ` ${unit}`}`,
        measured: value === undefined ? null : roundTo(value, 3),
        met,
      },
    ];
  });
};
