import { createAction } from '../../../packages/agent-signal/builders.ts';
import { defineActionHandler, defineAgentSignalHandlers, defineSignalHandler, defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { PolicyBundle } from '../../../packages/agent-signal/define.ts';
import { AGENT_SIGNAL_REQUEST_SOURCE_TYPES } from '../../../packages/agent-signal/source-types.ts';
import { isSelfIterating } from '../../../packages/database/agents.ts';
import { listMemories, listSkills } from '../../../packages/database/knowledge.ts';
import { isAgentSignalEnabled } from '../../../packages/database/signal-admission.ts';
import { collectTopics, openReview, takeReview } from '../../../packages/database/signal-reviews.ts';
import type { PolicyDeps } from '../deps.ts';
import { withoutModel } from '../without-model.ts';
import { readRequest } from './request.ts';
import type { ReviewRequest } from './request.ts';

const REVIEW_ACTION = 'action.self-iteration.run';
const CODE = 'SELF_ITERATION_EXECUTION_FAILED';
const MAX_STEPS = 16;
const MOST = 20;

const conclude = (reason: string) => ({ status: 'conclude', concluded: { reason } }) as const;

/** What the run looks at: topics by weight, skills, memories. */
const collect = async ({ db }: PolicyDeps, ownerId: string, { agentId, userId, from, to }: ReviewRequest): Promise<string> =>
  JSON.stringify({
    topics: await collectTopics(db, { ownerId, agentId, userId, from, to }),
    skills: await listSkills(db, { ownerId, agentId, limit: MOST }),
    memories: await listMemories(db, { ownerId, agentId, limit: MOST }),
  });

/** Requests of reviews, reflections and declared intents: each is dispatched once, and again where its dispatch or its run failed. */
export const createReviewsPolicy = (deps: PolicyDeps): PolicyBundle =>
  defineAgentSignalHandlers('reviews', [
    defineSourceHandler({
      id: 'reviews.request',
      on: AGENT_SIGNAL_REQUEST_SOURCE_TYPES,
      handle: async ({ node, source, scope }) => {
        const request = readRequest(source.type, node.payload, source.sourceId);
        if (request.expectedId !== source.sourceId) return conclude('invalid_payload');
        const isOn = await isAgentSignalEnabled(deps.db, scope.userId, deps.isOnByDefault);
        if (!isOn || !(await isSelfIterating(deps.db, request.agentId))) return conclude('gate_disabled');
        if (!(await takeReview(deps.db, { ownerId: scope.ownerId, sourceId: source.sourceId, kind: request.marker.kind })))
          return conclude('deduped');
        const id = `${source.sourceId}:action:self-iteration`.slice(0, 1_000);
        const action = createAction({
          parent: node,
          type: REVIEW_ACTION,
          id,
          payload: { idempotencyKey: `${source.sourceId}:self-iteration`, agentId: request.agentId },
        });
        return { status: 'dispatch', actions: [action] };
      },
    }),
    defineActionHandler<{ readonly agentId: string }>({
      id: 'reviews.run',
      on: REVIEW_ACTION,
      handle: async ({ source, scope }) => {
        const request = readRequest(source.type, source.payload, source.sourceId);
        const review = { ownerId: scope.ownerId, sourceId: source.sourceId };
        if (deps.model === null) {
          await openReview(deps.db, review);
          return withoutModel(CODE);
        }
        const { agentId, marker, task: prompt } = request;
        const context = await collect(deps, scope.ownerId, request);
        return {
          status: 'start',
          run: { agentId, marker, prompt, context, maxSteps: MAX_STEPS, detail: 'dispatched', failureCode: CODE, review: source.sourceId },
        };
      },
    }),
    defineSignalHandler<{ readonly actionType: string; readonly detail?: string }>({
      id: 'reviews.conclude',
      on: [`signal.action.applied:${REVIEW_ACTION}`, `signal.action.failed:${REVIEW_ACTION}`, `signal.action.skipped:${REVIEW_ACTION}`],
      handle: async ({ node, source, scope }) => {
        if (node.type === 'signal.action.applied') return conclude('dispatched');
        await openReview(deps.db, { ownerId: scope.ownerId, sourceId: source.sourceId });
        return conclude(node.payload.detail ?? 'failed');
      },
    }),
  ]);
