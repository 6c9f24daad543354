import type { RuntimeProcessorResult } from './results.ts';

/** State of one guard: instants in ms. */
export interface GuardState {
  readonly quietUntilMs?: number;
  readonly lastAtMs?: number;
  readonly startedAtMs?: number;
}

/** Where guards keep their state: shared in Postgres, or in memory. `change` is one atomic step on the store's clock; null: no state or an expired one. */
export interface GuardStore {
  change<T>(key: string, step: (state: GuardState | null, nowMs: number) => { readonly state: GuardState; readonly answer: T }): Promise<T>;
}

type Verdict = Extract<RuntimeProcessorResult, { status: 'wait' | 'conclude' }> | null;

/** Guards of one handler call; each answers what the handler returns in its place, or null: go on. */
export interface Guards {
  /** The first call passes; each later one waits and restarts the quiet time, and a newer one takes over. */
  debounce(lane: string, quietMs: number): Promise<Verdict>;
  /** One call per period; a later one waits for the rest of it. */
  throttle(lane: string, periodMs: number): Promise<Verdict>;
  /** Concludes `timed_out` where the lane began longer ago. */
  outerTimeout(lane: string, timeoutMs: number): Promise<Verdict>;
}

const wait = (lane: string, delay: number, reason: string): Verdict => ({ status: 'wait', pending: { lane, delay, reason } });

/** Guards over a store; a call that goes on after its own wait passes once its time has come. */
export const createGuards = (store: GuardStore): Guards => ({
  debounce: (lane, quietMs) =>
    store.change<Verdict>(`${lane}::debounce`, (state, nowMs) => {
      const until = state?.quietUntilMs ?? 0;
      const next = { quietUntilMs: nowMs + quietMs };
      return nowMs >= until ? { state: next, answer: null } : { state: next, answer: wait(lane, quietMs, 'debounced') };
    }),
  throttle: (lane, periodMs) =>
    store.change<Verdict>(`${lane}::throttle`, (state, nowMs) => {
      const rest = (state?.lastAtMs ?? -Infinity) + periodMs - nowMs;
      return rest <= 0 ? { state: { lastAtMs: nowMs }, answer: null } : { state: state ?? {}, answer: wait(lane, Math.ceil(rest), 'throttled') };
    }),
  outerTimeout: (lane, timeoutMs) =>
    store.change<Verdict>(`${lane}::outer-timeout`, (state, nowMs) => {
      const startedAtMs = state?.startedAtMs ?? nowMs;
      const isOver = nowMs - startedAtMs > timeoutMs;
      return { state: { startedAtMs }, answer: isOver ? { status: 'conclude', concluded: { reason: 'timed_out' } } : null };
    }),
});
