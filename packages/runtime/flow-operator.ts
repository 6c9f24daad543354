import type { Client } from '@temporalio/client';
import type { FlowChange, FlowHolder } from '../contracts/flow-activities.ts';
import { LIMITER_TYPE } from '../contracts/flow-control.ts';
import { EXEC_AGENT_FLOW } from '../contracts/exec-agent.ts';
import { NO_LIMIT } from '../contracts/flow-limits.ts';
import type { FlowKey, FlowLimit, LimitSource } from '../contracts/flow-limits.ts';
import { pipelineContracts } from '../contracts/index.ts';
import { flowKeyOf } from '../contracts/limits.ts';
import type { Database } from '../database/database.ts';
import { listFlowSettings, loadFlowSettings, saveFlowChange } from '../database/flow-settings.ts';
import { readLimiter, refreshLimiter } from './flow-client.ts';

/** A key as an operator sees it; `runs` are those that hold permits or wait, none where no limiter runs. */
export interface FlowView {
  readonly key: string;
  readonly limit: FlowLimit;
  readonly source: LimitSource;
  readonly isPaused: boolean;
  readonly heldUntil: string | null;
  readonly permits: number;
  readonly runs: readonly FlowHolder[];
  /** A limiter runs for it now. */
  readonly isActive: boolean;
}

export interface FlowOperatorDeps {
  readonly client: Client;
  readonly db: Database;
  /** Put before every key. */
  readonly prefix: string;
}

/** Keys that the pipelines and the agent runs of this version declare. */
export const declaredFlowKeys = (prefix: string): readonly FlowKey[] =>
  [
    ...pipelineContracts.flatMap(({ type, limits }) =>
      (['process', 'paginate', 'execute'] as const).flatMap((layer) => flowKeyOf(type, layer, limits) ?? []),
    ),
    EXEC_AGENT_FLOW,
  ].map((declared) => ({ ...declared, key: `${prefix}${declared.key}` }));

/** What applies to a key and who holds it; null where nobody ever named it. `key` is without the prefix. */
export async function viewFlow({ client, db, prefix }: FlowOperatorDeps, key: string): Promise<FlowView | null> {
  const full = `${prefix}${key}`;
  const [status, settings] = await Promise.all([readLimiter(client, full), loadFlowSettings(db, [full])]);
  if (status !== null) return { ...status, key, isActive: true };
  const declared = declaredFlowKeys(prefix).find((each) => each.key === full);
  const setting = settings.get(full);
  if (setting === undefined || (setting.limit === null && !setting.isPaused && declared === undefined)) return null;
  const { source, isPaused } = setting;
  return { key, limit: setting.limit ?? declared?.limit ?? NO_LIMIT, source, isPaused, heldUntil: null, permits: 0, runs: [], isActive: false };
}

/** Every key that a pipeline declares, somebody has set, or a limiter serves, sorted. */
export async function listFlow(deps: FlowOperatorDeps): Promise<readonly FlowView[]> {
  const { client, db, prefix } = deps;
  const full = new Set([...declaredFlowKeys(prefix), ...(await listFlowSettings(db))].map(({ key }) => key));
  for await (const { memo } of client.workflow.list({ query: `WorkflowType = '${LIMITER_TYPE}' and ExecutionStatus = 'Running'` }))
    if (typeof memo?.['key'] === 'string') full.add(memo['key']);
  const keys = [...full].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const views = await Promise.all(keys.sort().map((key) => viewFlow(deps, key)));
  return views.filter((view) => view !== null);
}

/** Stores an operator's change and tells the limiter, if one runs. */
export async function changeFlow(deps: FlowOperatorDeps, { key, ...change }: FlowChange): Promise<FlowView> {
  const full = `${deps.prefix}${key}`;
  const setting = await saveFlowChange(deps.db, { key: full, ...change });
  await refreshLimiter(deps.client, full);
  const view = await viewFlow(deps, key);
  const { limit, source, isPaused } = setting;
  const base = view ?? { key, limit: limit ?? NO_LIMIT, heldUntil: null, permits: 0, runs: [], isActive: false };
  // The limiter may not have read it yet: what was stored is what applies.
  return { ...base, source, isPaused, ...(limit === null ? {} : { limit }) };
}
