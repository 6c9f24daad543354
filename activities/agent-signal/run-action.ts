import type { ActionNode } from '../../packages/agent-signal/nodes.ts';
import { executorOutcomeSchema } from '../../packages/agent-signal/results.schema.ts';
import type { ExecutorOutcome } from '../../packages/agent-signal/results.ts';
import type { AgentRunRequest } from '../../packages/agent-signal/results.schema.ts';
import { toStorable } from '../../packages/contracts/json-value.ts';
import type { StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import type { Reservation } from '../../packages/contracts/signal-records.ts';
import { pauseAnswer } from './run-handler.ts';
import { contextOf, openCall, storeAnswer } from './step.ts';
import type { Call, StepAttempt, StepDeps } from './step.ts';
import { answerAction } from './step-answers.ts';
import type { ActionEnd, Answered } from './step-answers.ts';
import { classifyStepError, computePause, redact, RetryStep } from './step-errors.ts';

const IN_FLIGHT_MS = 1_000;

type ActionCall = Call<ActionNode>;

const keyOf = ({ payload }: ActionNode): string | null => {
  const key = payload['idempotencyKey'];
  return typeof key === 'string' && key.trim() !== '' ? key : null;
};

const failedEnd = (code: string, message: string): ActionEnd => ({ status: 'failed', error: { code, message: redact(message), retriable: false } });

/** Stores an action's end with its row; `key` null: it never got one. */
const settle = (call: ActionCall, end: ActionEnd, key: string | null): Promise<StepResult> => {
  const { node, attempt, step, startedAt } = call;
  const answered = answerAction(end, { action: node, attempt, registry: call.deps.registry });
  const status = end.status === 'applied' ? 'succeeded' : end.status;
  const result = { ...end, actionId: node.actionId, attempt: { current: attempt, startedAt, completedAt: new Date().toISOString(), status } };
  const detail = end.status === 'failed' ? `${end.error.code}: ${end.error.message}` : (end.detail ?? null);
  return storeAnswer(call, answered, { result, action: key === null ? null : { ownerId: step.ownerId, key, state: end.status, detail } });
};

/** An executor that failed, by its own word or by what it threw: a pause of the event, another attempt, or the action's end. */
const endOf = (call: ActionCall, thrown: unknown): ActionEnd | Answered => {
  const fault = classifyStepError(thrown);
  const pause = pauseAnswer(call as Call, fault);
  if (pause !== null) return pause;
  if (fault.isRetryable && !call.isFinal) throw new RetryStep(fault, computePause(call.attempt, fault.retryAfterMs, call.deps.limits), thrown);
  return failedEnd(fault.code, fault.message);
};

const parseOutcome = (returned: unknown): ExecutorOutcome => {
  const parsed = executorOutcomeSchema.safeParse(returned);
  if (parsed.success) return toStorable(parsed.data);
  return failedEnd('InvalidHandlerResult', parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
};

const askExecutor = async (call: ActionCall): Promise<ExecutorOutcome | Answered> => {
  let returned: unknown;
  try {
    returned = await (call.handler.handle as (context: unknown) => unknown)(contextOf(call as Call));
  } catch (error) {
    return endOf(call, error);
  }
  const outcome = parseOutcome(returned);
  if (outcome.status !== 'failed' || !outcome.error.retriable) return outcome;
  const { code, message, retryAfterMs } = outcome.error;
  if (call.isFinal) return outcome;
  throw new RetryStep({ code, message: redact(message) }, computePause(call.attempt, retryAfterMs ?? null, call.deps.limits));
};

const reserve = ({ deps, request, step, node }: ActionCall, key: string): Promise<Reservation> =>
  deps.store.reserve({ ownerId: step.ownerId, key, eventId: request.eventId, nodeId: node.actionId, holdMs: deps.limits.actionHoldMs });

/** Executes an action at most once under its key, and stores what came of it; throws RetryStep where it is to be tried again. */
export const runAction = async (deps: StepDeps, request: StepRequest, attempt: StepAttempt): Promise<StepResult> => {
  const opened = await openCall(deps, request, attempt);
  if (!('handler' in opened)) return opened;
  const call = opened as ActionCall;
  const key = keyOf(call.node);
  if (request.isOverBudget) return settle(call, { status: 'skipped', detail: 'action budget exceeded' }, null);
  if (key === null) return settle(call, failedEnd('InvalidAction', 'the payload has no idempotencyKey'), null);
  const reservation = await reserve(call, key);
  if (reservation.kind === 'applied') return settle(call, { status: 'skipped', detail: 'Action idempotency key already applied.' }, null);
  if (reservation.kind === 'inFlight') {
    const fault = { code: 'ActionInFlight', message: `another event holds the key ${key}` };
    if (call.isFinal) return settle(call, failedEnd(fault.code, fault.message), null);
    throw new RetryStep(fault, IN_FLIGHT_MS);
  }
  const outcome = await askExecutor(call);
  if ('answer' in outcome) return storeAnswer(call as Call, outcome, { result: null });
  return outcome.status === 'start' ? order(call, { key, epoch: reservation.epoch, run: outcome.run }) : settle(call, outcome, key);
};

/** Stores the run that the action asks for; its host starts it, and settles the action with what came of that. */
const order = async (
  call: ActionCall,
  wanted: { readonly key: string; readonly epoch: number; readonly run: AgentRunRequest },
): Promise<StepResult> => {
  const operationId = await call.deps.runs.reserve({ step: call.step, action: call.node, ...wanted });
  if (operationId === null) return settle(call, { status: 'skipped', detail: 'agent run budget exceeded' }, wanted.key);
  return { answer: { status: 'start', operationId }, settled: null };
};

/** How starting a run went; `failure` null: it runs, or ran already. */
export interface StartReport {
  readonly detail: string;
  readonly failureCode: string;
  readonly failure: string | null;
}

/** Settles the action whose run was started, or could not be. */
export const settleStartedAction = async (
  deps: StepDeps,
  request: StepRequest,
  { detail, failureCode, failure }: StartReport,
): Promise<StepResult> => {
  const opened = await openCall(deps, request, { attempt: 1, isFinal: true, signal: AbortSignal.abort() });
  if (!('handler' in opened)) return opened;
  const call = opened as ActionCall;
  return settle(call, failure === null ? { status: 'applied', detail } : failedEnd(failureCode, failure), keyOf(call.node));
};

/** Stores that an action's call was given up: by time-outs, or with workers that were lost. */
export const giveUpAction = async (deps: StepDeps, request: StepRequest, message: string): Promise<StepResult> => {
  const opened = await openCall(deps, request, { attempt: deps.limits.attempts, isFinal: true, signal: AbortSignal.abort() });
  if (!('handler' in opened)) return opened;
  const call = opened as ActionCall;
  return settle(call, failedEnd('GivenUp', message), keyOf(call.node));
};
