import { createSignal } from '../../../packages/agent-signal/builders.ts';
import { defineSignalHandler } from '../../../packages/agent-signal/define.ts';
import type { HandlerContext, HandlerScope } from '../../../packages/agent-signal/handler-context.ts';
import type { HandlerDefinition } from '../../../packages/agent-signal/define.ts';
import type { SignalNode } from '../../../packages/agent-signal/nodes.ts';
import { planDomain } from '../../../packages/agent-signal/plan.ts';
import type { RuntimeProcessorResult } from '../../../packages/agent-signal/results.ts';
import { SIGNAL_TYPES } from '../../../packages/agent-signal/signal-types.ts';
import { computeDigest } from '../../../packages/contracts/digest.ts';
import { hasMarker, keepProcedure, listRecords } from '../../../packages/database/signal-procedures.ts';
import { parkCandidate } from '../../../packages/database/signal-candidates.ts';
import { synthesisAction } from '../completion/synthesis-action.ts';
import type { PolicyDeps } from '../deps.ts';
import { compact } from '../../../packages/agent-signal/compact.ts';
import { memoryAction, skillAction } from './action-payloads.ts';
import type { DomainPayload } from './signals.ts';

const RECORD_SCORE = 0.6;
const LEAST_RECORDS = 2;
const LEAST_SCORE = 1;

type Node = SignalNode<DomainPayload>;

/** Names under which a domain's messages are marked as handled. */
const MARKER_DOMAINS: Readonly<Record<string, readonly string[]>> = { memory: ['memory', 'memory:user-preference'] };

const conclude = (reason: string): RuntimeProcessorResult => ({ status: 'conclude', concluded: { reason } });

const scored = (node: Node, id: string, payload: Record<string, unknown>): RuntimeProcessorResult => ({
  status: 'dispatch',
  signals: [createSignal({ parent: node, type: SIGNAL_TYPES.bucketScored, id, payload })],
});

const suppress = (node: Node): RuntimeProcessorResult =>
  scored(node, `${node.signalId}:signal:procedure-suppressed`, {
    bucketKey: `message:${node.payload.messageId}`,
    domain: node.payload.target,
    aggregateScore: 0,
    confidence: node.payload.confidence,
    itemScores: [],
    recordIds: [],
    suggestedActions: [],
  });

/** Counts a weak sign; enough of them make one scored signal, once per set. */
const accumulate = async ({ db }: PolicyDeps, node: Node, scope: HandlerScope): Promise<RuntimeProcessorResult | null> => {
  const { messageId, confidence } = node.payload;
  await keepProcedure(db, scope, { kind: 'record', domain: 'skill', key: `message:${messageId}`, score: RECORD_SCORE });
  const records = await listRecords(db, scope, 'skill');
  const sum = records.reduce((total, { score }) => total + score, 0);
  if (records.length < LEAST_RECORDS || sum < LEAST_SCORE) return null;
  const recordIds = records.map(({ key }) => key);
  const marker = `accumulated:${computeDigest(recordIds.toSorted().join('\n')).slice(0, 20)}`;
  if (!(await keepProcedure(db, scope, { kind: 'marker', domain: 'skill', key: marker }))) return null;
  return scored(node, `${node.signalId}:signal:procedure-accumulated`, {
    bucketKey: marker,
    domain: 'skill',
    aggregateScore: Math.round(sum * 100) / 100,
    confidence,
    itemScores: records.map(({ score }) => score),
    recordIds,
    suggestedActions: ['maintain'],
  });
};

const storeIntent = async ({ db }: PolicyDeps, node: Node, scope: HandlerScope): Promise<RuntimeProcessorResult> => {
  await keepProcedure(db, scope, { kind: 'intent', domain: 'skill', key: `message:${node.payload.messageId}`, data: node.payload });
  return conclude('skill intent recorded until client.runtime.complete');
};

/** Keeps the candidate until its turn is complete; where it is already, it resumes at once. */
const park = async ({ db }: PolicyDeps, { node, scope }: HandlerContext<Node>): Promise<RuntimeProcessorResult> => {
  const { message, messageId, evidence, agentId, topicId, threadId, sourceHints, conflictPolicy, skillActionIntent, skillIntentConfidence } =
    node.payload;
  const candidate = compact({
    message,
    evidence,
    agentId: agentId ?? scope.agentId,
    topicId,
    threadId,
    sourceHints,
    conflictPolicy,
    skillActionIntent,
    skillIntentConfidence,
  });
  const resumed = await parkCandidate(db, { ownerId: scope.ownerId, messageId }, candidate);
  if (resumed === null) return conclude('skill candidate parked until agent.execution.completed');
  return { status: 'dispatch', actions: [synthesisAction({ parent: node, userMessageId: messageId, ...resumed })] };
};

/** Decides what a domain signal leads to: an action, something to be kept, or nothing. */
export const createPlanHandler = (deps: PolicyDeps): HandlerDefinition =>
  defineSignalHandler<DomainPayload>({
    id: 'analyze-intent.plan',
    on: [SIGNAL_TYPES.domainMemory, SIGNAL_TYPES.domainPrompt, SIGNAL_TYPES.domainSkill, SIGNAL_TYPES.domainNone],
    handle: async (context) => {
      const { node, scope } = context;
      const { target, satisfactionResult, trigger, skillRoute, skillIntentError, messageId } = node.payload;
      const isHandled = await hasMarker(deps.db, scope, { domains: MARKER_DOMAINS[target] ?? [target], key: `message:${messageId}` });
      const plan = planDomain({
        target,
        satisfaction: satisfactionResult,
        trigger: trigger ?? '',
        route: skillRoute,
        hasIntentError: skillIntentError !== undefined,
        isHandled,
      });
      switch (plan) {
        case 'suppress':
          return suppress(node);
        case 'memory':
          return { status: 'dispatch', actions: [memoryAction(node)] };
        case 'skill':
          return { status: 'dispatch', actions: [skillAction(node)] };
        case 'store-intent':
          return storeIntent(deps, node, scope);
        case 'park':
          return park(deps, context);
        case 'accumulate':
          return accumulate(deps, node, scope);
        case 'nothing':
          return null;
        default:
          return plan satisfies never;
      }
    },
  });
