import type { InputProblem } from '../contracts/failures.ts';
import type { EventFailureType } from '../contracts/signal-events.ts';
import type { EventState } from '../contracts/signal-run.ts';
import type { KnownEvent } from '../contracts/known-event.ts';
import type { SignalTrace } from '../database/signal-traces.ts';
import { EXIT, UserError } from './user-error.ts';

/** What `enqueue` answers; `accepted: false` with an empty run id: agent signal is off for the user. */
export interface EnqueueAnswer {
  readonly accepted: boolean;
  readonly scopeKey: string;
  readonly workflowRunId: string;
  readonly workflowId: string;
  readonly sourceId: string;
  /** The event was known; `state` says what became of it. */
  readonly deduped?: true;
  readonly state?: EventState;
  readonly reopened?: true;
  readonly wake?: 'sent' | 'coalesced' | 'deferred';
}

/** What `emit` answers. */
export type EmitAnswer =
  | KnownEvent
  | {
      readonly deduped: false;
      readonly source: { readonly sourceId: string; readonly type: string };
      readonly trigger: { readonly scopeKey: string; readonly token: string; readonly windowEventCount: number };
      readonly reopened?: true;
      /** Event that was made of this one, with what is stored of it. */
      readonly derived?: { readonly scopeKey: string; readonly sourceType: string; readonly sourceId: string };
      readonly run: { readonly status: string; readonly reason?: string; readonly trace: SignalTrace };
    };

/** An event that a door refused: a UserError (exit 2) with everything an HTTP problem needs. */
export class EventRefused extends UserError {
  readonly type: EventFailureType;
  readonly problems: readonly InputProblem[];
  readonly retryAfterSeconds: number | undefined;

  constructor(type: EventFailureType, problems: readonly InputProblem[], retryAfterSeconds?: number) {
    super(problems.map(({ message }) => message).join('; '), EXIT.refused);
    this.name = 'EventRefused';
    this.type = type;
    this.problems = problems;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}
