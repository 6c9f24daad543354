const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;

/** Bounds of agent signal, each lowered by tests under its own name (`STRATA_SIGNAL_LIMITS`). */
export const SIGNAL_LIMITS = {
  /** Depth of a node in its chain. */
  depth: 8,
  /** Causation depth between events. */
  causeDepth: 4,
  nodesPerResult: 16,
  nodesPerEvent: 64,
  actionsPerEvent: 8,
  /** Agent runs per scope and rolling hour. */
  runsPerHour: 30,
  /** Caused events per scope and rolling hour. */
  causedPerHour: 120,
  continuationsPerChain: 20,
  scheduleMaxMs: 7 * DAY,
  /** Pending events per scope. */
  pending: 10_000,
  /** Accepted events per scope and second. */
  acceptedPerSecond: 500,
  eventBytes: 256 * KIB,
  signalBytes: 64 * KIB,
  waitingEmits: 8,
  /** Redeliveries that reopen a failed event. */
  reopens: 5,
  attempts: 8,
  attemptMs: MINUTE,
  retryFirstMs: SECOND,
  retryMaxMs: MINUTE,
  /** All attempts of one handler call. */
  retryTotalMs: 5 * MINUTE,
  /** A longer pause that a provider asks for becomes a durable timer, clamped to this. */
  pauseMaxMs: 15 * MINUTE,
  pauses: 3,
  /** Events per claim. */
  claimSize: 20,
  idleMs: MINUTE,
  continueAfterEvents: 500,
  continueAfterWakes: 900,
  continueAfterEmits: 1_500,
  historyEvents: 4_000,
  emitWaitMs: 30 * SECOND,
  /** A node waits so long for the next event of its lane. */
  laneWaitMs: DAY,
  /** A younger wake stands for later events, too. */
  wakeFreshMs: 2 * SECOND,
  /** Runs that may end under one event. */
  deaths: 3,
  /** An action reserved for so long by an event that is still alive may be taken over. */
  actionHoldMs: 2 * MINUTE,
  /** Lease of a caller that executes an event itself. */
  leaseMs: MINUTE,
  /** A pending event of this age is woken by the sweeper. */
  sweepAfterMs: 10 * SECOND,
  guardTtlMs: HOUR,
} as const satisfies Readonly<Record<string, number>>;

export type SignalLimits = Readonly<Record<keyof typeof SIGNAL_LIMITS, number>>;
