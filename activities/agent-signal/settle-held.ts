import type { EventOutcome, EventState } from '../../packages/contracts/signal-run.ts';
import type { Database } from '../../packages/database/database.ts';
import { settleEvent } from '../../packages/database/signal-steps.ts';
import { ClaimLost } from './step-errors.ts';

/** Ends an event that the caller holds; ClaimLost where another claim has it. */
export const settleHeld = async (
  db: Database,
  held: { readonly eventId: string; readonly token: number; readonly outcome: EventOutcome },
): Promise<EventState> => {
  const state = await settleEvent(db, held);
  if (state === null) throw new ClaimLost(held.eventId);
  return state;
};
