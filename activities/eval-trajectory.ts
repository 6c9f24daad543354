import type { Trajectory } from '../packages/contracts/trajectory.ts';
import { ITEM_FAILURES } from '../packages/contracts/failures.ts';
import type { ItemFailureType } from '../packages/contracts/failures.ts';
import { ModelError, isModelError } from '../packages/models/model-error.ts';
import type { Target, TargetAnswer, TargetRequest } from '../packages/models/target.ts';

const LONGEST_OUTPUT = 1_000_000;
const LONGEST_MESSAGE = 1_000;

/** Which trajectory: its place in the case's round. */
export type TrajectoryPlace = Pick<Trajectory, 'round' | 'k'>;

export type AskRequest = {
  readonly place: TrajectoryPlace;
  readonly target: Target;
  readonly question: TargetRequest;
  readonly timeoutMs: number;
  readonly clock: () => number;
};

/**
 * Asks the target once. An answer comes back ungraded; a missing one, a refusal or a time-out comes back as a final error.
 * Throws the signal's reason after an abort, and a retryable ModelError for the caller to decide on.
 */
export async function askTarget(request: AskRequest): Promise<Trajectory> {
  const { place, clock } = request;
  const start = clock();
  try {
    const answer = await answerInTime(request);
    return describeAnswer({ place, answer, latencyMs: clock() - start });
  } catch (error) {
    if (request.question.signal.aborted) throw request.question.signal.reason;
    if (isRetryable(error)) throw error;
    return failTrajectory({ ...place, latencyMs: clock() - start }, error);
  }
}

/** A failure that another attempt may cure; whatever is not classified may be a passing fault, too. */
export function isRetryable(error: unknown): boolean {
  return isModelError(error) ? error.retryable : true;
}

/** Makes a trajectory final with the reason why its target gave no answer. */
export function failTrajectory(trajectory: Trajectory, error: unknown): Trajectory {
  const message = `Execution error: ${messageOf(error)}`.slice(0, LONGEST_MESSAGE);
  return { ...trajectory, error: { type: typeOf(error), message } };
}

/** The failure type of an error; AttemptsExhausted stands for all that nobody classified. */
export function typeOf(error: unknown): ItemFailureType {
  return isModelError(error) ? error.type : ITEM_FAILURES.attemptsExhausted;
}

/** The text of an error. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

type Answered = { readonly place: TrajectoryPlace; readonly answer: TargetAnswer; readonly latencyMs: number };

function describeAnswer({ place, answer, latencyMs }: Answered): Trajectory {
  const trajectory = { ...answer, ...place, latencyMs, output: makeStorable(answer.output) };
  if (trajectory.output.trim() === '') {
    return { ...trajectory, error: { type: ITEM_FAILURES.invalidOutput, message: 'No assistant output' } };
  }
  if (trajectory.output.length <= LONGEST_OUTPUT) return trajectory;
  const error = new ModelError(`the answer has ${trajectory.output.length} characters, ${LONGEST_OUTPUT} are allowed`, {
    type: ITEM_FAILURES.payloadTooLarge,
    retryable: false,
  });
  return failTrajectory({ ...trajectory, output: trajectory.output.slice(0, LONGEST_OUTPUT) }, error);
}

/** Postgres keeps neither NUL characters nor halves of surrogate pairs. */
function makeStorable(text: string): string {
  return Buffer.from(text, 'utf8').toString('utf8').replaceAll('\0', '\uFFFD');
}

/** A target that ignores its signal is left behind: the race ends without it. */
async function answerInTime({ target, question, timeoutMs }: AskRequest): Promise<TargetAnswer> {
  const timeout = new AbortController();
  const signal = AbortSignal.any([question.signal, timeout.signal]);
  const late = new ModelError(`no answer within ${timeoutMs} ms`, { type: ITEM_FAILURES.itemTimeout, retryable: false });
  const timer = setTimeout(() => timeout.abort(late), timeoutMs);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    if (signal.aborted) reject(signal.reason as Error);
  });
  try {
    return await Promise.race([target.answer({ ...question, signal }), stopped]);
  } finally {
    clearTimeout(timer);
  }
}
