import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { StepStore } from '../../packages/contracts/signal-store.ts';
import type { Database } from '../../packages/database/database.ts';
import { reserveAction } from '../../packages/database/signal-actions.ts';
import { changeGuard } from '../../packages/database/signal-guards.ts';
import { loadStep, storeStep } from '../../packages/database/signal-steps.ts';

/** Steps kept in Postgres, where every scope workflow has them. */
export const createPostgresStore = (db: Database, { guardTtlMs }: SignalLimits): StepStore => ({
  load: (key) => loadStep(db, key),
  store: (record) => storeStep(db, record),
  reserve: (request) => reserveAction(db, request),
  changeGuard: (guard, step) => changeGuard(db, { ...guard, ttlMs: guardTtlMs }, step),
});
