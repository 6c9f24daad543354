import type { DerivedEvent } from '../../packages/agent-signal/results.ts';
import type { LoadedStep } from '../../packages/contracts/signal-store.ts';
import type { Database } from '../../packages/database/database.ts';
import { acceptEvent, insertDerived } from '../../packages/database/signal-inbox.ts';
import type { EmitRules } from './emit.ts';
import { eventOfDerived } from './follow-ups.ts';
import { ownLimits } from './own-limits.ts';
import { sendWake } from './send-wake.ts';

/** Keeps derived events: in the same scope in place of the original, elsewhere at that queue's end. They inherit the cause and pass every gate. */
export const createDeriver =
  (db: Database, { limits, wake, taskQueue }: EmitRules) =>
  async (derived: DerivedEvent, from: LoadedStep, eventId: string): Promise<'next' | 'elsewhere'> => {
    const event = eventOfDerived(derived, from);
    if (derived.scopeKey === from.scopeKey) {
      await insertDerived(db, event, eventId);
      return 'next';
    }
    const accepted = await acceptEvent(db, event, { limits: ownLimits(limits) });
    if (accepted.kind === 'accepted' && accepted.sendsWake) await sendWake({ db, wake, taskQueue }, event, accepted.scopeId);
    return 'elsewhere';
  };
