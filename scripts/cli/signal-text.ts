import type { ScopeStatus } from '../../packages/contracts/agent-signal-scope.ts';
import type { NodeRow } from '../../packages/contracts/signal-records.ts';
import type { StepAnswer } from '../../packages/contracts/signal-run.ts';
import type { ReceiptPage } from '../../packages/database/signal-receipts.ts';
import type { Rejection } from '../../packages/database/signal-rejections.ts';
import type { SignalTrace, TracedEvent, TracedResult } from '../../packages/database/signal-traces.ts';

/** A page of receipts, a line each. */
export const describeReceipts = ({ receipts, nextCursor }: ReceiptPage): string => {
  if (receipts.length === 0) return 'no receipts';
  const lines = receipts.map(({ createdAt, kind, status, title, agentId }) => `${createdAt}  ${kind} ${status}  ${title}  (${agentId})`);
  return [...lines, ...(nextCursor === null ? [] : [`more: --cursor ${nextCursor}`])].join('\n');
};

/** A scope's counts in words, and the newest of what it refused. */
export const describeStatus = (status: ScopeStatus, rejections: readonly Rejection[]): string => {
  const counts = (['pending', 'processing', 'waiting', 'done', 'failed', 'rejected', 'timers'] as const).map((name) => `${status[name]} ${name}`);
  return [
    `${status.scopeKey} of ${status.ownerId}: ${counts.join(', ')}`,
    ...(status.currentEvent === null ? [] : [`  now: ${status.currentEvent}`]),
    ...(status.lastFailure === null ? [] : [`  last failure: ${status.lastFailure}`]),
    ...rejections.map(({ reason, path, excerpt }) => `  rejected: ${reason}${path === '' ? '' : ` at ${path}`}: ${excerpt}`),
  ].join('\n');
};

const describeAnswer = (answer: StepAnswer): string => {
  switch (answer.status) {
    case 'none':
      return 'no opinion';
    case 'dispatch':
      return `dispatched ${answer.nodes.length}`;
    case 'wait':
      return `waits in ${answer.lane}${answer.reason === null ? '' : ` (${answer.reason})`}`;
    case 'schedule':
      return `scheduled ${answer.key}`;
    case 'conclude':
      return `concluded: ${answer.reason}`;
    case 'failed':
      return `failed: ${answer.error.code}: ${answer.error.message}`;
    case 'executed':
      return answer.result;
    case 'start':
      return `started ${answer.operationId}`;
    default:
      return answer satisfies never;
  }
};

const resultLines = (results: readonly TracedResult[], nodeId: string): string[] =>
  results
    .filter((result) => result.nodeId === nodeId)
    .map(({ handlerId, answer, attempt }) => `· ${handlerId}: ${describeAnswer(answer)}${attempt > 1 ? ` (attempt ${attempt})` : ''}`);

/** Draws a node with its answers and the nodes below it. */
const drawBelow = (trace: SignalTrace, nodeId: string, indent: string): string[] => {
  const answers = resultLines(trace.results, nodeId).map((line) => `${indent}${line}`);
  const children = trace.nodes.filter(({ parentId }) => parentId === nodeId);
  return [...answers, ...children.flatMap((child: NodeRow, index) => drawChild(trace, child, { indent, isLast: index === children.length - 1 }))];
};

const drawChild = (
  trace: SignalTrace,
  { nodeId, type }: NodeRow,
  { indent, isLast }: { readonly indent: string; readonly isLast: boolean },
): string[] => [`${indent}${isLast ? '└─' : '├─'} ${type}  ${nodeId}`, ...drawBelow(trace, nodeId, `${indent}${isLast ? '   ' : '│  '}`)];

/** An event and its chain as a tree. */
export const drawTrace = (event: TracedEvent, trace: SignalTrace): string => {
  const reason = event.reason === null ? '' : `: ${event.reason}`;
  return [
    `${event.sourceType}  ${event.sourceId}  in ${event.scopeKey}: ${event.state}${event.outcome === null ? '' : `, ${event.outcome}`}${reason}`,
    ...drawBelow(trace, event.sourceId, '  '),
  ].join('\n');
};
