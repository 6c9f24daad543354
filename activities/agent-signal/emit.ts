import type { CausedEvent, EmitAnswer } from '../../packages/agent-signal/handler-context.ts';
import type { ScopeIdentity } from '../../packages/contracts/scope-identity.ts';
import type { SignalLimits } from '../../packages/contracts/signal-limits.ts';
import type { LoadedStep } from '../../packages/contracts/signal-store.ts';
import type { Database } from '../../packages/database/database.ts';
import { admitEvent } from '../../packages/database/signal-admission.ts';
import type { Admission } from '../../packages/database/signal-admission.ts';
import { parseCaused } from './follow-ups.ts';
import { sendWake } from './send-wake.ts';

/** How activities make events durable. */
export interface EmitRules {
  readonly limits: SignalLimits;
  readonly isOnByDefault: boolean;
  readonly wake: (scope: ScopeIdentity, taskQueue: string) => Promise<void>;
  readonly taskQueue: string;
}

const REASONS: Readonly<Record<Exclude<Admission['kind'], 'accepted' | 'duplicate'>, string>> = {
  forbidden: 'agent_not_usable',
  off: 'feature_disabled',
  refused: 'rate_limited',
};

/** Emits what a handler causes: the way of every event, one step further from its origin. */
export const createEmitter =
  (db: Database, { wake, taskQueue, ...rules }: EmitRules) =>
  async (event: CausedEvent, from: LoadedStep): Promise<EmitAnswer> => {
    const parsed = parseCaused(event, from, rules.limits);
    if (!parsed.ok) return { accepted: false, reason: parsed.problems[0]?.code ?? parsed.type };
    const admission = await admitEvent(db, parsed.event, rules);
    if (admission.kind === 'duplicate') return { accepted: true };
    if (admission.kind !== 'accepted') return { accepted: false, reason: REASONS[admission.kind] };
    if (admission.sendsWake) await sendWake({ db, wake, taskQueue }, parsed.event, admission.scopeId);
    return { accepted: true };
  };
