import { PROBE_MS, START_LATE_MS } from '../contracts/flow-control.ts';
import type { FlowOwner } from '../contracts/flow-control.ts';
import type { FlowKey, FlowLimit } from '../contracts/flow-limits.ts';
import type { FlowAsk, FlowGrant } from '../contracts/flow-messages.ts';

/** A start time is asked for so far ahead that it reaches its item before it is due; on a busy machine that takes longer. */
const LEAST_LEAD_MS = 150;
const MOST_LEAD_MS = 2_000;
const LATE_LEAD_MS = 250;

/** Start times asked for ahead: so many messages fewer than items. */
const STARTS_AHEAD = 1_000;

/** What a gate knows; JSON, carried over continue-as-new. */
export interface GateState {
  readonly limit: FlowLimit;
  readonly seq: number;
  readonly granted: number;
  readonly returned: number;
  readonly startsAsked: number;
  readonly startsGranted: number;
  readonly target: number | null;
  readonly isPaused: boolean;
  readonly holdUntilMs: number | null;
  readonly isProbe: boolean;
  readonly leadMs: number;
}

const initialState = (limit: FlowLimit): GateState => ({
  limit,
  seq: 0,
  granted: 0,
  returned: 0,
  startsAsked: 0,
  startsGranted: 0,
  target: null,
  isPaused: false,
  holdUntilMs: null,
  isProbe: false,
  leadMs: LEAST_LEAD_MS,
});

/** A run's side of one key: the permits and start times it may use, and what it has to tell the limiter. Pure; times are server time, ms. */
export class Gate {
  readonly #key: FlowKey;
  readonly #owner: FlowOwner;
  #state: GateState;
  #inUse = 0;
  #want = 0;
  #starts: number[] = [];
  #heard = 0;
  #told: { readonly want: number; readonly returned: number; readonly startsAsked: number } | null = null;

  constructor(key: FlowKey, owner: FlowOwner, carried?: GateState) {
    this.#key = key;
    this.#owner = owner;
    this.#state = carried ?? initialState(key.limit);
  }

  /** Takes in what the limiter says; false if it was meant for an earlier chain under the same workflow id or for another key. */
  accept(grant: FlowGrant, nowMs: number): boolean {
    if (grant.key !== this.#key.key || grant.firstRunId !== this.#owner.firstRunId) return false;
    const { limit, target, isPaused, holdUntilMs, isProbe, starts } = grant;
    this.#heard++;
    this.#state = {
      ...this.#state,
      limit,
      target,
      isPaused,
      holdUntilMs,
      isProbe: isProbe && (this.#state.isProbe || holdUntilMs !== this.#state.holdUntilMs),
      granted: Math.max(this.#state.granted, grant.granted),
      startsGranted: this.#state.startsGranted + starts.length,
    };
    this.#starts.push(...starts);
    if (starts.some((time) => time < nowMs)) this.#state = { ...this.#state, leadMs: Math.min(MOST_LEAD_MS, this.#state.leadMs + LATE_LEAD_MS) };
    this.#giveBack();
    return true;
  }

  /** How many permits (those in use included) and how many start times the run could use. */
  demand(want: number, starts: number): void {
    const { limit, startsGranted, startsAsked } = this.#state;
    this.#want = limit.parallelism === null ? Math.min(1, want) : Math.min(want, limit.parallelism);
    if (limit.ratePerSecond !== null) {
      const missing = want === 0 ? 0 : Math.min(Math.max(0, starts - this.#starts.length), STARTS_AHEAD);
      const open = startsAsked - startsGranted;
      // Asked for by the thousand, so that a message comes once in hundreds of items.
      if (missing === 0 || (open <= missing / 2 && open < STARTS_AHEAD / 2)) this.#state = { ...this.#state, startsAsked: startsGranted + missing };
    }
    this.#giveBack();
  }

  /** Permits that may be used now; Infinity where only the rate is bounded. */
  free(nowMs: number): number {
    const { limit, granted, returned, target, isPaused, holdUntilMs, isProbe } = this.#state;
    if (isPaused || (holdUntilMs !== null && nowMs < holdUntilMs)) return 0;
    if (this.#isTrial(nowMs) && !isProbe) return 0;
    const held = granted - returned;
    const usable = limit.parallelism === null ? Infinity : Math.max(0, Math.min(held, target ?? held) - this.#inUse);
    return this.#isTrial(nowMs) ? Math.min(1, usable) : usable;
  }

  /** How many may start with the times at hand; Infinity where the key is not paced. */
  startable(nowMs: number): number {
    return this.#isTrial(nowMs) || this.isPaced() ? this.startTimes(nowMs).length : Infinity;
  }

  /** The start times at hand, ascending; the one trial after a hold needs none and starts now. */
  startTimes(nowMs: number): readonly number[] {
    if (this.#isTrial(nowMs)) return this.#state.isProbe ? [nowMs] : [];
    // Late ones are left: used later they would crowd with others.
    this.#starts = this.#starts.filter((time) => time >= nowMs - START_LATE_MS && time >= (this.#state.holdUntilMs ?? 0));
    return this.#starts;
  }

  /** When the gate opens by itself; null: it is open, or only the limiter can open it. */
  opensAtMs(nowMs: number): number | null {
    const { isPaused, holdUntilMs, isProbe } = this.#state;
    if (isPaused || holdUntilMs === null || nowMs >= holdUntilMs + PROBE_MS) return null;
    return isProbe && nowMs < holdUntilMs ? holdUntilMs : holdUntilMs + PROBE_MS;
  }

  /** Each start needs a time of its own. */
  isPaced(): boolean {
    return this.#state.limit.ratePerSecond !== null;
  }

  /** How often the limiter has spoken. */
  heard(): number {
    return this.#heard;
  }

  /** The limiter owes start times, and nothing that it said keeps it from granting them. */
  awaitsStarts(): boolean {
    const { isPaused, holdUntilMs, startsAsked, startsGranted } = this.#state;
    return this.isPaced() && !isPaused && holdUntilMs === null && startsAsked > startsGranted;
  }

  /** Takes permits, and start times where the key is paced (after `startable`); times may be taken later than permits, by `takeStarts`. */
  take(permits: number, starts: number, nowMs: number): readonly number[] {
    this.#inUse += permits;
    if (!this.isPaced()) {
      if (permits > 0) this.#endProbe();
      return [];
    }
    const times = this.startTimes(nowMs).slice(0, starts);
    this.takeStarts(times);
    return times;
  }

  /** Takes some of the start times at hand. */
  takeStarts(times: readonly number[]): void {
    if (times.length === 0) return;
    // Fast rates have several times in one millisecond.
    const taken = [...times].sort((one, other) => one - other);
    this.#starts = this.#starts.filter((time) => time !== taken[0] || taken.shift() === undefined);
    this.#endProbe();
  }

  /** Nobody can use the start times at hand any more: others are asked for. */
  dropStarts(): void {
    this.#starts = [];
  }

  /** How many start times the limiter grants in so many ms, if it grants them to this run alone. */
  startsIn(ms: number): number {
    return Math.ceil(((this.#state.limit.ratePerSecond ?? 0) * ms) / 1_000);
  }

  /** Permits come back from what has ended; they stay with the run while it can use them. */
  release(permits: number): void {
    this.#inUse -= permits;
    this.#giveBack();
  }

  /** Permits in use beyond what the run may keep: running work has to give up so many. */
  excess(): number {
    const { target, limit } = this.#state;
    return target === null || limit.parallelism === null ? 0 : Math.max(0, this.#inUse - target);
  }

  /** What the limiter has to be told now, or null; that a run could use a little less is not worth a message. */
  nextAsk(): FlowAsk | null {
    const { granted, returned, startsAsked, startsGranted } = this.#state;
    const told = this.#told;
    const isWantNews = told === null || this.#want > told.want || (this.#want < told.want && this.#want <= told.want / 2);
    if (told !== null && !isWantNews && returned === told.returned && startsAsked === told.startsAsked) return null;
    if (told === null && this.#want === 0 && returned === 0 && startsAsked === 0) return null;
    this.#told = { want: this.#want, returned, startsAsked };
    this.#state = { ...this.#state, seq: this.#state.seq + 1 };
    const { key, limit } = this.#key;
    const { seq, leadMs } = this.#state;
    return { v: 1, kind: 'ask', key, limit, owner: this.#owner, seq, want: this.#want, granted, returned, startsAsked, startsGranted, leadMs };
  }

  /** Forgets that the limiter was told: for one that may have been lost with its memory. */
  repeat(): void {
    this.#told = null;
  }

  carry(): GateState {
    return this.#state;
  }

  #endProbe(): void {
    if (this.#state.isProbe) this.#state = { ...this.#state, isProbe: false };
  }

  #isTrial(nowMs: number): boolean {
    const { holdUntilMs } = this.#state;
    return holdUntilMs !== null && nowMs >= holdUntilMs && nowMs < holdUntilMs + PROBE_MS;
  }

  /** Gives back what the run cannot use, or must not keep; permits in use come back later. */
  #giveBack(): void {
    const { granted, returned, target, limit } = this.#state;
    if (limit.parallelism === null) return;
    const held = granted - returned;
    const isKept = target === null && this.#want > 0 && held <= 2 * this.#want;
    const keep = isKept ? held : Math.max(this.#inUse, Math.min(this.#want, target ?? this.#want));
    if (held > keep) this.#state = { ...this.#state, returned: returned + (held - keep) };
  }
}
