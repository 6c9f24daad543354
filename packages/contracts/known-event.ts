import type { EventState } from './signal-run.ts';

/** Answer for an event that is known, or that somebody else has in hand: what is to be known of it. */
export interface KnownEvent {
  readonly deduped: true;
  readonly reason: 'duplicate' | 'scope_locked';
  readonly scopeKey: string;
  readonly sourceId: string;
  readonly state: EventState;
}
