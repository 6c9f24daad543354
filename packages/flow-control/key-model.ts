import type { FlowLimit } from '../contracts/flow-limits.ts';
import type { FlowGrant, FlowTell } from '../contracts/flow-messages.ts';
import { Gate } from './gate.ts';
import { reduceLimiter } from './limiter.ts';
import { createLimiterState } from './limiter-state.ts';
import type { LimiterEvent, LimiterState } from './limiter-state.ts';

/** A run of the model: a gate, what it works on, and messages on their way to it. */
export interface ModelRun {
  readonly name: string;
  readonly gate: Gate;
  readonly inbox: FlowGrant[];
  inUse: number;
  waiting: number;
  isOpen: boolean;
}

/** A key with its limiter and runs, in which messages take as long as the caller wants; server time is `nowMs`. */
export class KeyModel {
  readonly runs: ModelRun[] = [];
  /** When items started, server time, ms. */
  readonly starts: { readonly run: string; readonly atMs: number }[] = [];
  readonly outbox: FlowTell[] = [];
  state: LimiterState;
  nowMs = 1_000_000;
  wakeMs: number | null = null;
  messages = 0;

  constructor(limit: FlowLimit) {
    this.state = createLimiterState('k', limit, 'deployment');
  }

  open(name: string, items: number): ModelRun {
    const gate = new Gate({ key: 'k', limit: this.state.limit }, { workflowId: name, firstRunId: name });
    const run = { name, gate, inbox: [], inUse: 0, waiting: items, isOpen: true };
    this.runs.push(run);
    this.tell(run);
    return run;
  }

  /** The run says what it could use now. */
  tell(run: ModelRun): void {
    if (!run.isOpen) return;
    run.gate.demand(run.inUse + run.waiting, run.waiting);
    const ask = run.gate.nextAsk();
    if (ask !== null) this.outbox.push(ask);
  }

  /** Starts what may start. */
  start(run: ModelRun): void {
    if (!run.isOpen) return;
    const count = Math.min(run.waiting, run.gate.free(this.nowMs), run.gate.startable(this.nowMs));
    if (count <= 0) return;
    const times = run.gate.take(count, count, this.nowMs);
    run.inUse += count;
    run.waiting -= count;
    for (let index = 0; index < count; index++) this.starts.push({ run: run.name, atMs: Math.max(this.nowMs, times[index] ?? 0) });
    this.tell(run);
  }

  end(run: ModelRun, count = 1): void {
    const ended = Math.min(count, run.inUse);
    if (!run.isOpen || ended === 0) return;
    run.inUse -= ended;
    run.gate.release(ended);
    this.tell(run);
  }

  /** The run is gone without a word; the limiter learns of it by `closed`. */
  terminate(run: ModelRun): void {
    run.isOpen = false;
    run.inUse = 0;
    run.waiting = 0;
  }

  apply(...events: LimiterEvent[]): void {
    const step = reduceLimiter(this.state, events, this.nowMs);
    // As continue-as-new would carry it.
    this.state = JSON.parse(JSON.stringify(step.state)) as LimiterState;
    this.wakeMs = step.wakeMs;
    for (const { owner, grant } of step.sent) this.runs.find(({ name }) => name === owner.workflowId)?.inbox.push(grant);
  }

  deliverTell(): void {
    const tell = this.outbox.shift();
    if (tell === undefined) return;
    this.messages++;
    this.apply(tell.kind === 'ask' ? { kind: 'asked', ask: tell } : { kind: 'held', untilMs: this.nowMs + tell.holdMs });
  }

  deliverGrant(run: ModelRun): void {
    const grant = run.inbox.shift();
    if (grant === undefined || !run.isOpen) return;
    run.gate.accept(grant, this.nowMs);
    this.start(run);
    this.tell(run);
  }

  /** Delivers everything that is on its way, and what that leads to. */
  deliverAll(): void {
    for (let round = 0; round < 1_000; round++) {
      if (this.outbox.length === 0 && this.runs.every(({ inbox }) => inbox.length === 0)) return;
      while (this.outbox.length > 0) this.deliverTell();
      for (const run of this.runs) while (run.inbox.length > 0) this.deliverGrant(run);
    }
    throw new Error('messages without end');
  }

  /** Lets time pass in small steps; everything is delivered, and `each` runs after every step. */
  pass(ms: number, each: () => void = () => undefined, stepMs = 50): void {
    for (const endMs = this.nowMs + ms; this.nowMs < endMs;) {
      this.nowMs += stepMs;
      if (this.wakeMs !== null && this.nowMs >= this.wakeMs) this.apply({ kind: 'tick' });
      this.deliverAll();
      this.checkOwners();
      for (const run of this.runs) this.start(run);
      each();
      this.deliverAll();
    }
  }

  /** Closed runs come to light, as the limiter's own look at its owners would find them. */
  checkOwners(): void {
    for (const { owner } of this.state.leases)
      if (this.runs.some(({ name, isOpen }) => name === owner.workflowId && !isOpen)) this.apply({ kind: 'closed', owner });
  }

  inUse(): number {
    return this.runs.reduce((sum, run) => sum + run.inUse, 0);
  }
}

/** Most starts in any window of one second. */
export const mostInASecond = (starts: readonly number[]): number => {
  const sorted = [...starts].sort((one, other) => one - other);
  return sorted.reduce((most, at, index) => Math.max(most, sorted.slice(index).filter((other) => other < at + 1_000).length), 0);
};
