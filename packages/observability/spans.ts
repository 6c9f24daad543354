import { SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Attributes, Span, Tracer } from '@opentelemetry/api';

/** Names of Strata's spans; what differs between two of a name is in the attributes. */
export const SPANS = {
  start: 'strata.start',
  preflight: 'strata.preflight',
  count: 'strata.count',
  page: 'strata.page',
  chunk: 'strata.chunk',
  item: 'strata.item',
  finalize: 'strata.finalize',
  signalHandler: 'agent_signal.handler',
  signalAction: 'agent_signal.action',
  signalClaim: 'agent_signal.claim',
} as const;

/** Names of their attributes. */
export const ATTRIBUTES = {
  pipeline: 'strata.pipeline',
  layer: 'strata.layer',
  /** First run id of the chain: the one that a start answers. */
  runId: 'strata.run_id',
  itemId: 'strata.item_id',
  attempt: 'strata.attempt',
  /** Number of items of a page or chunk. */
  items: 'strata.items',
  outcome: 'strata.outcome',
  workflowId: 'temporal.workflow_id',
  errorType: 'error.type',
  ownerId: 'agent_signal.owner_id',
  scopeKey: 'agent_signal.scope_key',
  eventId: 'agent_signal.event_id',
  handlerId: 'agent_signal.handler_id',
  nodeId: 'agent_signal.node_id',
  nodeType: 'agent_signal.node_type',
} as const;

/** The tracer of all spans; without a provider in the process its spans record nothing. */
export const getTracer = (): Tracer => trace.getTracer('strata');

/** A span to be made; `describe` turns what the work threw into an error's type and a message without secrets. */
export interface SpanRequest {
  readonly name: (typeof SPANS)[keyof typeof SPANS];
  readonly kind?: SpanKind;
  readonly attributes: Attributes;
  readonly describe?: (error: unknown) => { readonly type: string; readonly message: string };
}

const describeByName = (error: unknown): { readonly type: string; readonly message: string } =>
  error instanceof Error
    ? { type: 'type' in error && typeof error.type === 'string' ? error.type : error.name, message: error.message }
    : { type: 'Error', message: String(error) };

/** Marks a span as failed. */
export const failSpan = (span: Span, { type, message }: { readonly type: string; readonly message: string }): void => {
  span.setAttribute(ATTRIBUTES.errorType, type);
  span.setStatus({ code: SpanStatusCode.ERROR, message });
};

/** Runs work inside a span, which ends as the work does; the work's own spans are its children. */
export const withSpan = <T>({ name, kind, attributes, describe }: SpanRequest, work: (span: Span) => Promise<T>): Promise<T> =>
  getTracer().startActiveSpan(name, { kind: kind ?? SpanKind.INTERNAL, attributes }, async (span) => {
    try {
      return await work(span);
    } catch (error) {
      failSpan(span, (describe ?? describeByName)(error));
      throw error;
    } finally {
      span.end();
    }
  });
