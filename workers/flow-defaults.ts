import type { Logger } from '@temporalio/worker';
import type { FlowLimit } from '../packages/contracts/flow-limits.ts';
import { saveFlowDefaults } from '../packages/database/flow-settings.ts';
import { refreshLimiter } from '../packages/runtime/flow-client.ts';
import { declaredFlowKeys } from '../packages/runtime/flow-operator.ts';
import type { FlowOperatorDeps } from '../packages/runtime/flow-operator.ts';
import type { ReadyWorker } from './run-workers.ts';

const textOf = ({ parallelism, ratePerSecond }: FlowLimit): string =>
  `${parallelism ?? 'unlimited'} at once, ${ratePerSecond ?? 'unlimited'} per second`;

/** Stores the limits that this version declares if it is the current one, tells running limiters, and says where another setting applies in their place. */
export async function bringFlowDefaults(
  deps: FlowOperatorDeps,
  { buildId, isCurrent, logger }: ReadyWorker & { readonly logger: Logger },
): Promise<void> {
  const keys = declaredFlowKeys(deps.prefix);
  const different = await saveFlowDefaults(deps.db, { keys, buildId, isCurrent });
  for (const { key, brought, applies, source } of different)
    logger.warn('another limit applies than this version declares', { key, declared: textOf(brought), applies: textOf(applies), source });
  if (isCurrent) for (const { key } of keys) await refreshLimiter(deps.client, key);
}
