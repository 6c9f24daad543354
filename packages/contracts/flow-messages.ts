import type { FlowOwner } from './flow-control.ts';
import type { FlowLimit } from './flow-limits.ts';

/** Wire names between runs, operators and a limiter. */
export const FLOW_MESSAGES = {
  /** Run → limiter. */
  tell: 'tell',
  /** Limiter → run. */
  grant: 'flowGrant',
  /** Chunk child → parent. */
  chunkNeed: 'flowChunkNeed',
  /** Parent → chunk child. */
  deal: 'flowDeal',
  status: 'status',
  set: 'set',
  pause: 'pause',
  resume: 'resume',
  refresh: 'refresh',
} as const;

/**
 * What a run tells a limiter: absolute and cumulative numbers, so that a repeated or overtaken message does no harm. `granted` and `returned`
 * are all permits it was ever granted and gave back, `want` how many it could use now, `startsAsked` all start times it ever asked for.
 */
export interface FlowAsk {
  readonly v: 1;
  readonly kind: 'ask';
  readonly key: string;
  readonly limit: FlowLimit;
  readonly owner: FlowOwner;
  readonly seq: number;
  readonly want: number;
  readonly granted: number;
  readonly returned: number;
  readonly startsAsked: number;
  readonly startsGranted: number;
  /** How far ahead start times must be granted to reach this run's items in time, ms. */
  readonly leadMs: number;
}

/** A provider told to wait: the key starts nothing for so many ms. */
export interface FlowHold {
  readonly v: 1;
  readonly kind: 'hold';
  readonly key: string;
  readonly limit: FlowLimit;
  readonly holdMs: number;
}

export type FlowTell = FlowAsk | FlowHold;

/** What a limiter tells a run. All but `starts` is the whole truth of the moment; `starts` are new start times (server time, ms), ascending. */
export interface FlowGrant {
  readonly v: 1;
  readonly key: string;
  readonly firstRunId: string;
  readonly limit: FlowLimit;
  readonly granted: number;
  /** Permits to come down to because others wait; null: none need be returned. */
  readonly target: number | null;
  readonly starts: readonly number[];
  readonly isPaused: boolean;
  /** Nothing starts before; for `probeMs` from then on only the one run that `isProbe` names starts one item. */
  readonly holdUntilMs: number | null;
  readonly isProbe: boolean;
}

/** Parent → chunk: take so many lanes more; come down to so many; use these start times too (null: items need none any more). */
export interface ChunkDeal {
  readonly more?: number;
  readonly lanes?: number;
  readonly starts?: readonly number[] | null;
}

/** Chunk → parent: lanes given up for good since the last message, and start times that went by and are needed again. */
export interface ChunkNeed {
  readonly page: number;
  readonly chunk: number;
  readonly freed: number;
  readonly starts: number;
  /** How long an item keeps a lane, on average, ms; 0: none has ended. */
  readonly laneMs: number;
}
