import type { ModelCall, ModelTask, SignalModel } from '../../packages/contracts/signal-model.ts';
import { createOfflineModel } from '../../packages/models/offline-model.ts';

/** A value, or a function of the call that gives it. */
type Answer = object | string | number | null;

/** A model whose answers a test sets by task, and which counts what it was asked; a task without an answer is the offline rules'. */
export interface StubModel extends SignalModel {
  readonly calls: ModelTask[];
  answer(task: ModelTask, answer: Answer): void;
}

export const createStubModel = (): StubModel => {
  const answers = new Map<ModelTask, Answer>();
  const calls: ModelTask[] = [];
  const offline = createOfflineModel();
  return {
    calls,
    answer: (task, answer) => void answers.set(task, answer),
    generate: async (call) => {
      calls.push(call.task);
      const answer = answers.get(call.task);
      if (answer === undefined) return offline.generate(call);
      return typeof answer === 'function' ? (answer as (call: ModelCall) => unknown)(call) : answer;
    },
  };
};

const judged = { confidence: 0.8, reason: 'r', evidence: [] };

/** Answer of the satisfaction classifier. */
export const satisfaction = (result: string) => ({ result, ...judged });

/** Answer of the domain classifier. */
export const domains = (...targets: readonly (string | readonly [string, number])[]) => ({
  targets: targets.map((each) => (typeof each === 'string' ? { target: each, ...judged } : { target: each[0], ...judged, confidence: each[1] })),
});

/** Answer of the skill classifier. */
export const skillIntent = (explicitness: string, route: string, confidence = 0.8) => ({
  actionIntent: 'create',
  confidence,
  explicitness,
  reason: 'r',
  route,
});

/** A user's message m1 in topic t1 to agent a1. */
export const userMessage = (sourceId = 'm1', payload: object = {}) => ({
  sourceType: 'agent.user.message',
  sourceId,
  payload: { message: 'Remember: short answers', messageId: sourceId, topicId: 't1', agentId: 'a1', ...payload },
});
