import { ApplicationFailure } from '@temporalio/common';
import { condition, defineQuery, defineSignal, defineUpdate, setDefaultSignalHandler, setHandler } from '@temporalio/workflow';
import { SCOPE_MESSAGES } from '../contracts/agent-signal-scope.ts';
import type { RawSignal, ScopeStatus } from '../contracts/agent-signal-scope.ts';
import { computeByteLength } from '../contracts/digest.ts';
import { RUN_FAILURES } from '../contracts/failures.ts';
import { cutText } from '../contracts/json-value.ts';
import type { EventState } from '../contracts/signal-run.ts';
import { describeScope } from './scope-state.ts';
import type { ScopeStory } from './scope-state.ts';

const sourceEventSignal = defineSignal<unknown[]>(SCOPE_MESSAGES.sourceEvent);
const wakeSignal = defineSignal<unknown[]>(SCOPE_MESSAGES.wake);
const statusQuery = defineQuery<ScopeStatus>(SCOPE_MESSAGES.status);
const processEventUpdate = defineUpdate<{ readonly state: EventState | 'moved' }, [unknown]>(SCOPE_MESSAGES.processEvent);

const EXCERPT_BYTES = 200;
const ROW_ID = /^[1-9]\d{0,18}$/;

/** Undefined: it is so deep that no text can be made of it. */
const textOf = (value: unknown): string | undefined => {
  try {
    return JSON.stringify(value) ?? 'nothing';
  } catch {
    return undefined;
  }
};

/** What came, as it is kept until it is a row; never throws, whatever it is. */
const keep = (name: string, args: readonly unknown[], { limits }: ScopeStory): RawSignal => {
  const text = textOf(args[0]);
  if (text === undefined) return { name: cutText(name, EXCERPT_BYTES), bytes: 0, excerpt: '', fault: 'too_deep' };
  const bytes = computeByteLength(text);
  const kept = { name: cutText(name, EXCERPT_BYTES), bytes: Math.min(bytes, EXCERPT_BYTES), excerpt: cutText(text, EXCERPT_BYTES) };
  if (name !== SCOPE_MESSAGES.sourceEvent) return { ...kept, fault: 'unknown_signal' };
  if (args.length > 1) return { ...kept, fault: 'extra_argument' };
  if (bytes > limits.signalBytes) return { ...kept, fault: 'payload_too_large' };
  return { ...kept, bytes, body: args[0] ?? null };
};

const requireRowId = (eventId: unknown): void => {
  if (typeof eventId !== 'string' || !ROW_ID.test(eventId))
    throw ApplicationFailure.nonRetryable('expected the id of an accepted event; use `strata signal emit`', RUN_FAILURES.invalidInput);
};

const waitFor = async (story: ScopeStory, eventId: string): Promise<{ readonly state: EventState | 'moved' }> => {
  story.emits++;
  story.isWoken = true;
  story.awaited.set(eventId, (story.awaited.get(eventId) ?? 0) + 1);
  await condition(() => story.states.has(eventId) || story.isMoving);
  const state = story.states.get(eventId) ?? 'moved';
  const left = (story.awaited.get(eventId) ?? 1) - 1;
  if (left > 0) story.awaited.set(eventId, left);
  else {
    story.awaited.delete(eventId);
    story.states.delete(eventId);
  }
  return { state };
};

/** Sets a scope's message handlers; call it before the first await. */
export const installScopeMessages = (story: ScopeStory): void => {
  const take = (name: string, args: readonly unknown[]): void => {
    story.wakes++;
    story.raw.push(keep(name, args, story));
  };
  setHandler(
    sourceEventSignal,
    (...args) => {
      take(SCOPE_MESSAGES.sourceEvent, args);
    },
    { description: 'One event of this scope, as at the HTTP door.' },
  );
  setHandler(
    wakeSignal,
    () => {
      story.wakes++;
      story.isWoken = true;
    },
    { description: 'Looks into the inbox; always harmless.' },
  );
  setDefaultSignalHandler((name, ...args) => take(name, args));
  setHandler(statusQuery, () => describeScope(story), { description: 'Counts of the inbox as of the last claim, current event, last failure.' });
  setHandler(processEventUpdate, (eventId) => waitFor(story, eventId as string), {
    description: 'Runs an accepted event and answers its state; `moved`: ask again.',
    validator: requireRowId,
  });
};
