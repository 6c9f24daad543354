import type { ScopeIdentity } from '../../packages/contracts/scope-identity.ts';
import type { Database } from '../../packages/database/database.ts';
import { clearWake } from '../../packages/database/signal-inbox.ts';

/** Who wakes scopes. */
export interface Waker {
  readonly db: Database;
  readonly wake: (scope: ScopeIdentity, taskQueue: string) => Promise<void>;
  readonly taskQueue: string;
}

/** Wakes the scope of what is stored already. A wake that cannot be sent is left to the next event and the sweeper. */
export const sendWake = async ({ db, wake, taskQueue }: Waker, scope: ScopeIdentity, scopeId: string): Promise<void> => {
  try {
    await wake(scope, taskQueue);
  } catch {
    await clearWake(db, scopeId);
  }
};
