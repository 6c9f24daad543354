/** Header that carries a trace context as `{"traceparent": …}`: the one of Temporal's own OpenTelemetry interceptors, so that clients in any language start a trace. */
export const TRACE_HEADER = '_tracer-data';

/** Where a span belongs: W3C ids in lower-case hex. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})/;
const SAMPLED = 1;

/** Reads what a header carries; null where it is no trace context. */
export const parseCarrier = (carrier: unknown): TraceContext | null => {
  const text = typeof carrier === 'object' && carrier !== null && 'traceparent' in carrier ? carrier.traceparent : undefined;
  const [, traceId, spanId, flags] = (typeof text === 'string' ? TRACEPARENT.exec(text) : null) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === SAMPLED };
};

/** What a header carries for a context. */
export const toCarrier = ({ traceId, spanId, isSampled }: TraceContext): { readonly traceparent: string } => ({
  traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
});

/** Trace of a workflow run that was started without one: its run id, a UUID, is 32 hex digits. */
export const traceIdOfRun = (runId: string): string => runId.replaceAll('-', '');

/** Span of a workflow run: the last 16 hex digits of its run id, which are random in every kind of UUID, so that a replay names the same span. */
export const spanIdOfRun = (runId: string): string => traceIdOfRun(runId).slice(-16);

/** A chunk child that has ended, as the sandbox tells its worker; instants are ms since 1970. */
export interface EndedChunk {
  readonly parent: TraceContext;
  readonly spanId: string;
  readonly pipeline: string;
  /** First run id of the parent's chain. */
  readonly runId: string | null;
  readonly items: number;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Type of what it failed with. */
  readonly failure: string | null;
}

/** Where workflows report to their worker; every Worker has it. */
// An alias, since the SDK asks for an index signature, which an interface does not have.
export type TraceSinks = { readonly strataTraces: { chunkEnded(chunk: EndedChunk): void } };
