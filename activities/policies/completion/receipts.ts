import { defineSourceHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import { buildSelfIterationReceipts } from '../../../packages/agent-signal/receipts.ts';
import { mutationSchema } from '../../../packages/agent-signal/self-iteration.schema.ts';
import { storeReceipts } from '../../../packages/database/signal-receipts.ts';
import type { PolicyDeps } from '../deps.ts';
import { countTowardsReflection, placeOf } from '../tool-outcome/counters.ts';

const ideaOf = (artifact: unknown): readonly string[] =>
  typeof artifact === 'object' && artifact !== null && 'summary' in artifact && typeof artifact.summary === 'string' ? [artifact.summary] : [];

/** Projects what a run of ours really wrote; the event is not done before its receipts are. */
export const createReceiptsHandler = ({ db }: PolicyDeps): HandlerDefinition =>
  defineSourceHandler({
    id: 'completion.receipts',
    on: 'agent.execution.completed',
    handle: async (context) => {
      const { node, source, scope, note } = context;
      const { selfIteration, operationId } = node.payload;
      if (selfIteration === undefined) return null;
      const parsed = selfIteration.mutations.map((mutation) => mutationSchema.safeParse(mutation));
      const mutations = parsed.flatMap(({ success, data }) => (success ? [data] : []));
      if (mutations.length < parsed.length) note(`${parsed.length - mutations.length} results of another shape were ignored`);
      const receipts = buildSelfIterationReceipts({
        marker: selfIteration.marker,
        userId: selfIteration.userId,
        agentId: node.payload.agentId ?? scope.agentId ?? '',
        operationId,
        sourceType: source.type,
        mutations,
        ideas: selfIteration.artifacts.flatMap(ideaOf),
      });
      await storeReceipts(db, scope.ownerId, receipts);
      note(`${receipts.length} receipts`);
      const { topicId, agentId = scope.agentId } = node.payload;
      const additions = receipts.map(({ id }) => ({ reason: 'receipt_count', fact: id }) as const);
      await countTowardsReflection({ db }, context as never, { place: placeOf({ topicId }, agentId), additions });
      return null;
    },
  });
