import { countFact, releaseReflection, takeReflection } from '../../../packages/database/signal-counters.ts';
import type { HandlerContext } from '../../../packages/agent-signal/handler-context.ts';
import type { SourceNode } from '../../../packages/agent-signal/nodes.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';

/** Reasons of a reflection and how often each must be counted, in the order in which the first crossed asks for one. */
const THRESHOLDS = [
  ['execution_failed', 1],
  ['same_tool_failure_count', 2],
  ['failed_tool_count', 2],
  ['tool_call_count', 10],
  ['user_correction_count', 2],
  ['runtime_step_count', 6],
  ['receipt_count', 3],
] as const;

type Reason = (typeof THRESHOLDS)[number][0];

/** What an event adds: a reason, and where it is counted apart (per tool) its mark. */
export interface Addition {
  readonly reason: Reason;
  readonly mark?: string;
  /** What is counted, where it is not the event itself. */
  readonly fact?: string;
}

/** The place that is counted in: task, else operation, else topic. */
export interface Place {
  readonly scopeType: 'task' | 'operation' | 'topic';
  readonly scopeId: string;
  readonly agentId: string;
}

/** The place of an event; null: there is none, or no agent. */
export const placeOf = (
  ids: { readonly taskId?: string | undefined; readonly operationId?: string | undefined; readonly topicId?: string | undefined },
  agentId: string | undefined,
): Place | null => {
  if (agentId === undefined) return null;
  const { taskId, operationId, topicId } = ids;
  if (taskId !== undefined) return { scopeType: 'task', scopeId: taskId, agentId };
  if (operationId !== undefined) return { scopeType: 'operation', scopeId: operationId, agentId };
  return topicId === undefined ? null : { scopeType: 'topic', scopeId: topicId, agentId };
};

type Context = Pick<HandlerContext<SourceNode<object>>, 'scope' | 'source' | 'emit' | 'note'>;

interface Crossed {
  readonly reason: Reason;
  readonly windowStart: string;
  readonly windowEnd: string;
}

/** Asks for the reflection; one that is refused may be asked for again. */
const request = async (
  { db }: Pick<PolicyDeps, 'db'>,
  { scope, emit, note }: Context,
  { place, subject, crossed }: { readonly place: Place; readonly subject: string; readonly crossed: Crossed },
): Promise<void> => {
  const { reason, windowStart, windowEnd } = crossed;
  const taken = { ownerId: scope.ownerId, subject, reason };
  if (!(await takeReflection(db, taken))) return;
  const { scopeType, scopeId, agentId } = place;
  const answer = await emit({
    sourceType: 'agent.self_reflection.requested',
    sourceId: `self-reflection:${scope.userId}:${agentId}:${scopeType}:${scopeId}:${reason}:${windowStart}:${windowEnd}`,
    scopeKey: scope.scopeKey,
    payload: compact({ agentId, userId: scope.userId, scopeId, scopeType, reason, windowStart, windowEnd, [`${scopeType}Id`]: scopeId }),
  });
  if (answer.accepted) return note(`reflection requested: ${reason}`);
  await releaseReflection(db, taken);
  note(answer.reason === 'feature_disabled' ? 'request_gate_rejected' : 'enqueue_gate_rejected');
};

/** Counts what an event adds in its place; the first threshold that is reached by it asks for a reflection, once per reason and place in seven days. */
export const countTowardsReflection = async (
  deps: Pick<PolicyDeps, 'db'>,
  context: Context,
  { place, additions }: { readonly place: Place | null; readonly additions: readonly Addition[] },
): Promise<void> => {
  if (place === null) return;
  const { scope, source } = context;
  const subject = `${scope.userId}:${place.agentId}:${place.scopeType}:${place.scopeId}`;
  const crossed: Crossed[] = [];
  for (const { reason, mark, fact } of additions) {
    const counter = mark === undefined ? reason : `${reason}:${mark}`;
    const atMs = scope.timestamp ?? null;
    const counted = await countFact(deps.db, {
      ownerId: scope.ownerId,
      subject,
      counter,
      sourceId: fact ?? `${source.type} ${source.sourceId}`,
      atMs,
    });
    const threshold = THRESHOLDS.find(([name]) => name === reason)?.[1];
    if (counted !== null && counted.count === threshold) crossed.push({ reason, windowStart: counted.windowStart, windowEnd: counted.windowEnd });
  }
  const first = THRESHOLDS.map(([name]) => crossed.find(({ reason }) => reason === name)).find((each) => each !== undefined);
  if (first !== undefined) await request(deps, context, { place, subject, crossed: first });
};
