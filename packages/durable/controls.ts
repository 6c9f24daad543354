import { ApplicationFailure } from '@temporalio/common';
import { defineQuery, defineSignal, defineUpdate, setHandler } from '@temporalio/workflow';
import { RUN_FAILURES } from '../contracts/failures.ts';
import { MESSAGES } from '../contracts/messages.ts';
import type { ControlAnswer } from '../contracts/messages.ts';
import type { RunProgress } from '../contracts/run.ts';
import { answerControl } from './run-state.ts';
import type { RunMemory } from './run-state.ts';

const progressQuery = defineQuery<RunProgress>(MESSAGES.progress);

const controlSignals = {
  pause: defineSignal<[unknown?]>(MESSAGES.pause),
  resume: defineSignal<[unknown?]>(MESSAGES.resume),
  abort: defineSignal<[unknown?]>(MESSAGES.abort),
};

const controlUpdates = {
  pause: defineUpdate<ControlAnswer, [unknown?]>(MESSAGES.pause),
  resume: defineUpdate<ControlAnswer, [unknown?]>(MESSAGES.resume),
  abort: defineUpdate<ControlAnswer, [unknown?]>(MESSAGES.abort),
};

type Verb = keyof typeof controlUpdates;

const DESCRIPTIONS: Record<Verb, string> = {
  pause: 'Starts nothing more until resume; what is in flight ends.',
  resume: 'Goes on after a pause.',
  abort: 'Stops the run: nothing starts any more, running items are interrupted.',
};

const apply = (memory: RunMemory, verb: Verb): ControlAnswer => {
  if (memory.ended !== null || (memory.control === 'aborting' && verb !== 'abort')) return answerControl(memory, false);
  memory.control = verb === 'pause' ? 'paused' : verb === 'resume' ? 'running' : 'aborting';
  return answerControl(memory, true);
};

const requireReason = (request?: unknown): void => {
  const isObject = typeof request === 'object' && request !== null && !Array.isArray(request);
  if (request !== undefined && !(isObject && Object.entries(request).every(([key, value]) => key === 'reason' && typeof value === 'string')))
    throw ApplicationFailure.nonRetryable('expected {"reason": "text"} or nothing', RUN_FAILURES.invalidInput);
};

/** Sets a run's message handlers; call it before the first await. `onControl` hears of every accepted control. */
export const installControls = (memory: RunMemory, describe: () => RunProgress, onControl: (verb: Verb) => void): void => {
  setHandler(progressQuery, describe, { description: 'Counters, state, rate and time left of this run.' });
  for (const verb of ['pause', 'resume', 'abort'] as const) {
    const handle = (): ControlAnswer => {
      const answer = apply(memory, verb);
      if (answer.accepted) onControl(verb);
      return answer;
    };
    setHandler(controlSignals[verb], () => void handle(), { description: DESCRIPTIONS[verb] });
    setHandler(controlUpdates[verb], handle, { description: DESCRIPTIONS[verb], validator: requireReason });
  }
};
