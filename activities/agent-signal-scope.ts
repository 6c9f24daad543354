import { Context } from '@temporalio/activity';
import { ApplicationFailure, ApplicationFailureCategory } from '@temporalio/common';
import type { PolicyBundle } from '../packages/agent-signal/define.ts';
import { createHandlerRegistry } from '../packages/agent-signal/registry.ts';
import { SCOPE_TYPE } from '../packages/contracts/agent-signal-scope.ts';
import type { ScopeIdentity } from '../packages/contracts/scope-identity.ts';
import { CLAIM_LOST } from '../packages/contracts/signal-activities.ts';
import type { ScopeActivities } from '../packages/contracts/signal-activities.ts';
import type { SignalLimits } from '../packages/contracts/signal-limits.ts';
import type { SignalModel } from '../packages/contracts/signal-model.ts';
import type { Database } from '../packages/database/database.ts';
import { consumeForOperation } from '../packages/database/agent-operation-ends.ts';
import type { SignalMeter } from '../packages/observability/signal-meter.ts';
import { acceptRaw } from './agent-signal/accept-raw.ts';
import { claimBehind, createClaim } from './agent-signal/claim.ts';
import { createDeriver } from './agent-signal/derive.ts';
import { createEmitter } from './agent-signal/emit.ts';
import { createFreshSteps } from './agent-signal/fresh-steps.ts';
import { observeStep } from './agent-signal/observe.ts';
import { createPostgresStore } from './agent-signal/postgres-store.ts';
import { giveUpAction, runAction, settleStartedAction } from './agent-signal/run-action.ts';
import { giveUpHandler, runHandler } from './agent-signal/run-handler.ts';
import { settleHeld } from './agent-signal/settle-held.ts';
import { createRunOrders, readStartTexts } from './agent-signal/start-run.ts';
import type { StepAttempt, StepDeps } from './agent-signal/step.ts';
import { ClaimLost, RetryStep } from './agent-signal/step-errors.ts';
import type { PolicyDeps } from './policies/deps.ts';
import { createPolicies } from './policies/index.ts';

/** What the activities of scopes are built from. */
export interface AgentSignalScopeDeps {
  readonly db: Database;
  /** Metrics of handler calls. */
  readonly signalMeter: SignalMeter;
  readonly signals: {
    readonly limits: SignalLimits;
    /** What policies and agent runs ask; null: there is none. */
    readonly model: SignalModel | null;
    /** Whether users without a flag of their own are on. */
    readonly isOnByDefault: boolean;
    /** Wakes a scope, starting it where none runs. */
    readonly wake: (scope: ScopeIdentity, taskQueue: string) => Promise<void>;
    /** Policies in place of those of the base. */
    readonly policies?: ((deps: PolicyDeps) => readonly PolicyBundle[]) | undefined;
    /** Wakes every scope whose wake-up was lost. */
    readonly sweep: (taskQueue: string) => Promise<object>;
    /** Whether a workflow of that id runs. */
    readonly isRunning: (workflowId: string) => Promise<boolean>;
  };
}

/** Translates what a step throws for Temporal: a retry with its own pause, or a claim that was lost. */
const translated = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ClaimLost)
      throw ApplicationFailure.create({ type: CLAIM_LOST, message: error.message, nonRetryable: true, category: ApplicationFailureCategory.BENIGN });
    if (error instanceof RetryStep) {
      const { code, message, delayMs } = error;
      throw ApplicationFailure.create({ type: code, message, nextRetryDelay: delayMs, category: ApplicationFailureCategory.BENIGN });
    }
    throw error;
  }
};

const attemptOf = ({ attempts }: SignalLimits): StepAttempt => {
  const { info, cancellationSignal } = Context.current();
  return { attempt: info.attempt, isFinal: info.attempt >= attempts, signal: cancellationSignal };
};

/** Activities of scopes, registered as `agentSignalScope.<verb>`. */
export const createAgentSignalScopeActivities = ({
  db,
  signals,
  signalMeter,
}: AgentSignalScopeDeps): Record<string, (request: never) => Promise<unknown>> => {
  const { limits } = signals;
  const fresher = createFreshSteps();

  const registry = createHandlerRegistry((signals.policies ?? createPolicies)({ db, model: signals.model, isOnByDefault: signals.isOnByDefault }));
  const claim = createClaim({ db, registry, limits, fresher });
  const store = createPostgresStore(db, limits);
  const freshStore = fresher.over(store);
  const deps = (): StepDeps => ({
    store,
    registry,
    limits,
    derive: createDeriver(db, { ...signals, taskQueue: Context.current().info.taskQueue }),
    runs: createRunOrders(db, limits),
    emit: createEmitter(db, { ...signals, taskQueue: Context.current().info.taskQueue }),
  });
  const activities: ScopeActivities = {
    claim,
    accept: (request) => acceptRaw(db, request, { ...signals, taskQueue: Context.current().info.taskQueue }),
    runHandler: async ({ next, ...request }) => {
      const attempt = attemptOf(limits);
      // Another attempt may have stored an answer meanwhile, perhaps in another process: only the first one goes by what the claim has read.
      const known = attempt.attempt === 1 ? { ...deps(), store: freshStore } : deps();
      return claimBehind(claim, next, await translated(() => observeStep(signalMeter, request, () => runHandler(known, request, attempt))));
    },
    runAction: async ({ next, ...request }) =>
      claimBehind(claim, next, await translated(() => observeStep(signalMeter, request, () => runAction(deps(), request, attemptOf(limits))))),
    giveUp: (request) => translated(() => (request.node.kind === 'action' ? giveUpAction : giveUpHandler)(deps(), request, request.message)),
    settle: (request) => translated(async () => ({ state: await settleHeld(db, request) })),
    settleStart: ({ operationId, failure, ...request }) =>
      translated(async () => {
        const texts = await readStartTexts(db, operationId);
        if (failure === null) await consumeForOperation(db, operationId);
        return settleStartedAction(deps(), request, { ...texts, failure });
      }),
  };
  return Object.fromEntries(Object.entries(activities).map(([verb, activity]) => [`${SCOPE_TYPE}.${verb}`, activity as never]));
};
