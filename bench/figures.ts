/** How items are dispatched: an activity each, or a chunk an activity. */
export const DISPATCHES = ['item', 'slice'] as const;

export type Dispatch = (typeof DISPATCHES)[number];

/** What a recovery trial kills: the only worker or one of two, chosen by what it holds. */
export type RecoveryTrial = 'only' | 'onlyLimited' | 'oneOfTwo' | 'oneOfTwoParent' | 'oneOfTwoLimiter';

type RecoveryFigure =
  /** From the kill to the end of the first item that was begun after it. */
  | 'FirstNewItemSeconds'
  /** From the kill to the end of the last item. */
  | 'LastItemSeconds'
  /** From the start to the kill: the first half of the items. */
  | 'HalfSeconds'
  /** Longest time without a finished item. */
  | 'LongestGapSeconds'
  /** Claims that the dead process held. */
  | 'InFlight'
  | 'ExecutedTwice'
  | 'NotDone';

type Prefixed<P extends string, F extends string> = { readonly [K in `${P}${F}`]: number };

/** Figures of the rows that have more to say than a rate, in the unit that ends the name. */
export interface RowFigures {
  readonly smallJob: { readonly medianMs: number; readonly longestMs: number; readonly activitiesAround: number };
  readonly cap: { readonly idealSeconds: number; readonly floorSeconds: number } & Prefixed<Dispatch, 'Seconds' | 'MaxOverlap'>;
  readonly rate: { readonly idealSeconds: number } & Prefixed<Dispatch, 'Seconds' | 'MaxStarts' | 'AfterIdleSeconds' | 'AfterIdleMaxStarts'>;
  readonly fair: Prefixed<Dispatch, 'AloneMs' | 'BesideMs' | 'LongestBesideMs'>;
  readonly recovery: Prefixed<`${RecoveryTrial}${'' | 'Slice'}`, RecoveryFigure>;
  readonly holder: Prefixed<Dispatch, 'PermitsBackSeconds' | 'MaxOverlap'>;
  readonly idle: {
    readonly workerCpuMsPerSecond: number;
    readonly temporalCpuMsPerSecond: number;
    readonly postgresCpuMsPerSecond: number;
  };
  readonly memory: { readonly smallItems: number; readonly smallPeakRssMb: number; readonly largeItems: number; readonly largePeakRssMb: number };
  /** Events per second, beside the raw SDK's; `Scopes` are two hundred, `Quiet` one event at a time. */
  readonly signals: {
    readonly floorSequentialPerSecond: number;
    readonly finishedPerSecond: number;
    readonly floorScopesPerSecond: number;
    readonly finishedScopesPerSecond: number;
    readonly acceptedPerSecond: number;
    readonly floorAcceptedScopesPerSecond: number;
    readonly acceptedScopesPerSecond: number;
    readonly floorQuietP95Ms: number;
    readonly quietP95Ms: number;
    readonly appliedP50Ms: number;
    readonly appliedP95Ms: number;
    readonly activitiesPerEvent: number;
    readonly historyEventsPerEvent: number;
  };
  /** Of one run alone on its key, and of two that share one; `Messages` in the middle of the run, `AllMessages` with its start and end. */
  readonly limiter: Prefixed<`${Dispatch}${'' | 'Shared'}`, 'Messages' | 'AllMessages' | 'Chunks' | 'MessagesPerChunk'>;
}
