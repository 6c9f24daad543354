import { context, SpanKind } from '@opentelemetry/api';
import type { WorkflowClientInterceptor } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers } from '@temporalio/common';
import type { ActivityInterceptorsFactory, InjectedSinks } from '@temporalio/worker';
import { parseCarrier, toCarrier, traceIdOfRun, TRACE_HEADER } from '../contracts/traces.ts';
import type { EndedChunk, TraceContext, TraceSinks } from '../contracts/traces.ts';
import { readLogFields } from '../observability/log-fields.ts';
import { ATTRIBUTES, failSpan, getTracer, SPANS, withSpan } from '../observability/spans.ts';
import { activeTrace, contextOf, rootContextOf, withSpanId } from '../observability/trace-context.ts';

const writeTrace = (headers: Headers, trace: TraceContext): Headers => ({
  ...headers,
  [TRACE_HEADER]: defaultPayloadConverter.toPayload(toCarrier(trace)),
});

const readTrace = (headers: Headers): TraceContext | null => {
  try {
    const header = headers[TRACE_HEADER];
    return header === undefined ? null : parseCarrier(defaultPayloadConverter.fromPayload(header));
  } catch {
    return null;
  }
};

/** Makes a span of each start and hands it to the workflow; where the process does not trace, a start carries nothing. */
export const traceStarts: WorkflowClientInterceptor = {
  startWithDetails: ({ headers, ...input }, next) => {
    const attributes = { [ATTRIBUTES.pipeline]: input.workflowType, [ATTRIBUTES.workflowId]: input.options.workflowId };
    return withSpan({ name: SPANS.start, kind: SpanKind.PRODUCER, attributes }, async (span) => {
      const trace = activeTrace();
      const started = await next({ ...input, headers: trace === null ? headers : writeTrace(headers, trace) });
      span.setAttribute(ATTRIBUTES.runId, started.runId);
      return started;
    });
  },
};

/**
 * Lets an activity's spans belong to its workflow's trace, or, where the workflow was started without one, to a trace of the workflow run's own; and its log
 * entries carry the pipeline's fields.
 */
export const activityInterceptors: ActivityInterceptorsFactory = (activity) => ({
  inbound: {
    execute: (input, next) => {
      const trace = readTrace(input.headers);
      const runId = activity.info.workflowExecution?.runId ?? '';
      return context.with(trace === null ? rootContextOf(traceIdOfRun(runId)) : contextOf(trace), () => next(input));
    },
  },
  outbound: {
    // The token is long, and of use to the SDK only.
    getLogAttributes: ({ taskToken: _taskToken, ...attributes }, next) => next({ ...attributes, ...readLogFields(activity) }),
  },
});

const makeChunkSpan = ({ parent, spanId, pipeline, runId, items, startedAtMs, endedAtMs, failure }: EndedChunk, workflowId: string): void => {
  const attributes = {
    [ATTRIBUTES.pipeline]: pipeline,
    [ATTRIBUTES.layer]: 'execute',
    [ATTRIBUTES.workflowId]: workflowId,
    [ATTRIBUTES.items]: items,
    ...(runId === null ? {} : { [ATTRIBUTES.runId]: runId }),
  };
  const chosen = withSpanId(contextOf(parent), spanId);
  const span = context.with(chosen, () => getTracer().startSpan(SPANS.chunk, { startTime: startedAtMs, attributes }));
  if (failure !== null) failSpan(span, { type: failure, message: failure });
  span.end(endedAtMs);
};

/** Where workflows report the chunks that have ended; one that ended in a workflow task which is played again may be reported twice, as the same span. */
export const traceSinks: InjectedSinks<TraceSinks> = {
  strataTraces: { chunkEnded: { fn: ({ workflowId }, chunk) => makeChunkSpan(chunk, workflowId) } },
};
