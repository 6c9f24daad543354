import { parseEvent } from '../../packages/agent-signal/events.schema.ts';
import type { ParsedEvent } from '../../packages/agent-signal/events.schema.ts';
import type { CausedEvent } from '../../packages/agent-signal/handler-context.ts';
import type { DerivedEvent } from '../../packages/agent-signal/results.ts';
import type { SourceEvent } from '../../packages/contracts/signal-events.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { LoadedStep } from '../../packages/contracts/signal-store.ts';

/** Parses what a handler causes, as any event: one step further from its origin. */
export const parseCaused = (event: CausedEvent, from: LoadedStep, limits: SignalLimits): ParsedEvent => {
  const cause = {
    rootSourceId: from.cause?.rootSourceId ?? from.sourceId,
    chainId: from.cause?.chainId ?? `chain:${from.sourceId}`,
    depth: (from.cause?.depth ?? 0) + 1,
  };
  const { userId, agentId, workspaceId } = from.context;
  const envelope = { scopeKey: from.scopeKey, ...event, cause, userId, agentId, workspaceId };
  return parseEvent(JSON.parse(JSON.stringify(envelope)), { door: 'server', caller: { kind: 'service' }, limits });
};

/** What a handler derives from its own event, with the cause of that one. */
export const eventOfDerived = (derived: DerivedEvent, { ownerId, context, cause }: LoadedStep): SourceEvent => ({
  ownerId,
  ...context,
  ...derived,
  ...(cause === null ? {} : { cause: { ...cause, isInherited: true } }),
});
