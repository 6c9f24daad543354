import type { Database } from '../../packages/database/database.ts';

/** What policies are built from. */
export interface PolicyDeps {
  readonly db: Database;
}
