import type { SourceEvent } from '../contracts/signal-events.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { findForbiddenAgents, readFlag, SELF_ITERATION_FLAG } from './agents.ts';
import { readRow } from './database.ts';
import type { Executor } from './database.ts';
import { sql } from './drizzle.ts';
import { classifyDatabaseError } from './errors.ts';
import { acceptEvent } from './signal-inbox.ts';
import type { AcceptAnswer } from './signal-inbox.ts';

/** Rules at every door. */
export interface AdmissionRules {
  readonly limits: SignalLimits;
  /** Whether users without a flag of their own are on. */
  readonly isOnByDefault: boolean;
  readonly awaitMs?: number;
}

/** What a door answers for an event: what the inbox says, or which gate kept it out; then no row is stored. */
export type Admission =
  | AcceptAnswer
  | { readonly kind: 'forbidden'; readonly agentId: string }
  | { readonly kind: 'off' }
  | { readonly kind: 'refused'; readonly reason: 'causedRate'; readonly retryAfterSeconds: number };

const agentsOf = ({ agentId, payload }: SourceEvent): readonly string[] =>
  [agentId, payload['agentId']].filter((id): id is string => typeof id === 'string');

/** Events that were caused in the scope in the last hour. A derived event only has its original's cause; a known event is no further one. */
const countCaused = async (executor: Executor, { ownerId, scopeKey, sourceType, sourceId }: SourceEvent): Promise<number> =>
  (
    await readRow<{ count: number }>(
      executor,
      sql`select count(*)::int as count from signal_events e join signal_scopes s on s.id = e.scope_id
          where s.owner_id = ${ownerId} and s.scope_key = ${scopeKey} and e.accepted_at > now() - interval '1 hour'
            and e.cause is not null and e.cause -> 'isInherited' is null
            and not exists (
              select 1 from signal_events k where k.scope_id = s.id and k.source_type = ${sourceType} and k.source_id = ${sourceId})`,
    )
  ).count;

/** Whether the user's events become work; an error is a no, but a database that cannot be reached is nobody's decision. */
export const isAgentSignalEnabled = async (executor: Executor, userId: string, fallback: boolean): Promise<boolean> => {
  try {
    return await readFlag(executor, { userId, flag: SELF_ITERATION_FLAG, fallback });
  } catch (error) {
    if (classifyDatabaseError(error)?.unavailable === true) throw error;
    return false;
  }
};

/** Access gate, feature gate, bounds, row: the way of every event from outside, and of what our own actions cause. */
export const admitEvent = async (executor: Executor, event: SourceEvent, rules: AdmissionRules): Promise<Admission> => {
  const [agentId] = await findForbiddenAgents(executor, { agentIds: agentsOf(event), userId: event.userId, workspaceId: event.workspaceId });
  if (agentId !== undefined) return { kind: 'forbidden', agentId };
  if (!(await isAgentSignalEnabled(executor, event.userId, rules.isOnByDefault))) return { kind: 'off' };
  if (event.cause !== undefined && (await countCaused(executor, event)) >= rules.limits.causedPerHour)
    return { kind: 'refused', reason: 'causedRate', retryAfterSeconds: 60 };
  return acceptEvent(executor, event, rules);
};
