import { processorResultSchema } from '../../packages/agent-signal/results.schema.ts';
import type { RuntimeProcessorResult } from '../../packages/agent-signal/results.ts';
import type { StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import { toStorable } from '../../packages/contracts/json-value.ts';
import type { NewTimer } from '../../packages/contracts/signal-records.ts';
import { contextOf, openCall, storeAnswer } from './step.ts';
import type { Call, StepAttempt, StepDeps } from './step.ts';
import { answerProcessor } from './step-answers.ts';
import type { Answered } from './step-answers.ts';
import { classifyStepError, computePause, RetryStep } from './step-errors.ts';
import type { ClassifiedStep } from './step-errors.ts';

const isOpen = (opened: Call | StepResult): opened is Call => 'handler' in opened;

const failedAnswer = ({ code, message }: Pick<ClassifiedStep, 'code' | 'message'>): Answered => ({
  answer: { status: 'failed', error: { code, message } },
  nodes: [],
  timer: null,
});

/** A provider asked for more than a pause between attempts may be: the event waits, and its scope goes on. */
export const pauseAnswer = (
  { deps: { limits }, request: { handlerId, node }, step }: Call,
  { retryAfterMs, isRetryable }: ClassifiedStep,
): Answered | null => {
  if (!isRetryable || retryAfterMs === null || retryAfterMs <= limits.retryMaxMs || step.pauses >= limits.pauses) return null;
  const delayMs = Math.min(retryAfterMs, limits.pauseMaxMs);
  const key = `${handlerId} ${node.id}`.slice(0, 300);
  const timer: NewTimer = { kind: 'pause', key, nodeId: node.id, handlerId, delayMs, boundMs: limits.pauseMaxMs };
  return { answer: { status: 'wait', lane: key, reason: `asked to wait ${Math.ceil(delayMs / 1_000)} s` }, nodes: [], timer };
};

/** What a thrown error means: a pause of the event, another attempt, or the end of the branch. */
const answerError = (call: Call, error: unknown): Answered => {
  const fault = classifyStepError(error);
  const pause = pauseAnswer(call, fault);
  if (pause !== null) return pause;
  if (fault.isRetryable && !call.isFinal) throw new RetryStep(fault, computePause(call.attempt, fault.retryAfterMs, call.deps.limits), error);
  return failedAnswer(fault);
};

const parseResult = (
  returned: unknown,
): { readonly ok: true; readonly result: RuntimeProcessorResult | null } | { readonly ok: false; readonly reason: string } => {
  if (returned === undefined || returned === null) return { ok: true, result: null };
  const parsed = processorResultSchema.safeParse(returned);
  return parsed.success
    ? { ok: true, result: toStorable(parsed.data) }
    : { ok: false, reason: parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
};

const ask = async (call: Call): Promise<{ readonly answered: Answered; readonly result: RuntimeProcessorResult | null }> => {
  const { deps, request, handler } = call;
  let returned: unknown;
  try {
    returned = await (handler.handle as (context: unknown) => unknown)(contextOf(call));
  } catch (error) {
    return { answered: answerError(call, error), result: null };
  }
  const parsed = parseResult(returned);
  if (!parsed.ok) return { answered: failedAnswer({ code: 'InvalidHandlerResult', message: parsed.reason.slice(0, 1_000) }), result: null };
  const context = {
    registry: deps.registry,
    limits: deps.limits,
    handlerId: handler.id,
    nodeId: request.node.id,
    summary: request.summary,
    hops: call.step.hops,
  };
  return { answered: answerProcessor(parsed.result, context), result: parsed.result };
};

/** Calls the handler of a source or signal and stores what it answered; throws RetryStep where it is to be called again. */
export const runHandler = async (deps: StepDeps, request: StepRequest, attempt: StepAttempt): Promise<StepResult> => {
  const call = await openCall(deps, request, attempt);
  if (!isOpen(call)) return call;
  const { answered, result } = await ask(call);
  const derived = result?.status === 'conclude' ? result.concluded.derived : undefined;
  const place = derived === undefined ? 'elsewhere' : await deps.derive(derived, call.step, request.eventId);
  const stored = await storeAnswer(call, answered, { result });
  return place === 'next' ? { ...stored, isFollowed: true } : stored;
};

/** Stores that a handler's call was given up: by time-outs, or with workers that were lost. */
export const giveUpHandler = async (deps: StepDeps, request: StepRequest, message: string): Promise<StepResult> => {
  const call = await openCall(deps, request, { attempt: deps.limits.attempts, isFinal: true, signal: AbortSignal.abort() });
  if (!isOpen(call)) return call;
  return storeAnswer(call, failedAnswer({ code: 'GivenUp', message }), { result: null });
};
