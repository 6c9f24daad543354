import { context, createContextKey, ROOT_CONTEXT, trace, TraceFlags } from '@opentelemetry/api';
import type { Context } from '@opentelemetry/api';
import type { TraceContext } from '../contracts/traces.ts';

const TRACE_ID = createContextKey('strata trace id');
const SPAN_ID = createContextKey('strata span id');

/** The context in which spans become children of a remote one. */
export const contextOf = ({ traceId, spanId, isSampled }: TraceContext): Context =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, isRemote: true, traceFlags: isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE });

/** The context in which spans without a parent belong to this trace. */
export const rootContextOf = (traceId: string): Context => ROOT_CONTEXT.setValue(TRACE_ID, traceId);

/** The same context; the one span started in it gets this id. */
export const withSpanId = (parent: Context, spanId: string): Context => parent.setValue(SPAN_ID, spanId);

/** The active span's context, or null where there is none. */
export const activeTrace = (): TraceContext | null => {
  const spanContext = trace.getSpanContext(context.active());
  if (spanContext === undefined || !trace.isSpanContextValid(spanContext)) return null;
  const { traceId, spanId, traceFlags } = spanContext;
  return { traceId, spanId, isSampled: (traceFlags & TraceFlags.SAMPLED) !== 0 };
};

/** Ids chosen by the active context; undefined where it leaves them to chance. */
export const chosenIds = (): { readonly traceId: string | undefined; readonly spanId: string | undefined } => {
  const active = context.active();
  return { traceId: active.getValue(TRACE_ID) as string | undefined, spanId: active.getValue(SPAN_ID) as string | undefined };
};
