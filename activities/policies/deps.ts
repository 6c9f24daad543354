import type { SignalModel } from '../../packages/contracts/signal-model.ts';
import type { Database } from '../../packages/database/database.ts';

/** What policies are built from: the product's data and the model; null: there is none. */
export interface PolicyDeps {
  readonly db: Database;
  readonly model: SignalModel | null;
  /** Whether users without a flag of their own are on. */
  readonly isOnByDefault: boolean;
}
