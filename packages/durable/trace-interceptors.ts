import { defaultPayloadConverter } from '@temporalio/common';
import type { Headers, Payload } from '@temporalio/common';
import { proxySinks, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInterceptorsFactory } from '@temporalio/workflow';
import { CHUNK_TYPE } from '../contracts/chunk.ts';
import type { ChunkInput } from '../contracts/chunk.ts';
import { parseCarrier, spanIdOfRun, toCarrier, TRACE_HEADER } from '../contracts/traces.ts';
import type { EndedChunk, TraceContext, TraceSinks } from '../contracts/traces.ts';

const { strataTraces } = proxySinks<TraceSinks>();

/** What a start, a chunk's with the run that it belongs to, was told. */
interface Told {
  readonly trace: TraceContext;
  readonly runId: string | null;
}

const read = (header: Payload | undefined): Told | null => {
  try {
    const carrier = header === undefined ? null : defaultPayloadConverter.fromPayload<{ readonly runId?: unknown } | null>(header);
    const trace = parseCarrier(carrier);
    return trace === null ? null : { trace, runId: typeof carrier?.runId === 'string' ? carrier.runId : null };
  } catch {
    // Somebody else's encoding: no trace of ours.
    return null;
  }
};

const typeOf = (error: unknown): string => (error instanceof Error ? error.name : 'Error');

/** Tells the worker how long a chunk ran, without a step between its end and its command. */
const tellEnd = ({ trace, runId }: Told, { pipeline, itemIds }: ChunkInput, running: Promise<unknown>): void => {
  const info = workflowInfo();
  const chunk = { parent: trace, runId, pipeline, items: itemIds.length, spanId: spanIdOfRun(info.runId), startedAtMs: info.startTime.getTime() };
  const tell = (failure: EndedChunk['failure']): void => strataTraces.chunkEnded({ ...chunk, endedAtMs: Date.now(), failure });
  running.then(
    () => tell(null),
    (error: unknown) => tell(typeOf(error)),
  );
};

const told = <T extends { readonly headers: Headers }>(input: T, header: Payload | undefined): T =>
  header === undefined ? input : { ...input, headers: { ...input.headers, [TRACE_HEADER]: header } };

/**
 * Hands a start's trace context on to activities, children and the next run of the chain, and makes a span of each chunk. It only copies headers:
 * no command and no step is added, so that runs with and without a trace have the same history. Without a trace it does nothing.
 */
export const interceptors: WorkflowInterceptorsFactory = () => {
  let onward: Payload | undefined;
  let toChildren: Payload | undefined;
  return {
    inbound: [
      {
        execute: (input, next) => {
          const header = input.headers[TRACE_HEADER];
          const start = read(header);
          if (start === null) return next(input);
          const { workflowType, runId, firstExecutionRunId } = workflowInfo();
          if (workflowType !== CHUNK_TYPE) {
            onward = header;
            toChildren = defaultPayloadConverter.toPayload({ ...toCarrier(start.trace), runId: firstExecutionRunId });
            return next(input);
          }
          onward = defaultPayloadConverter.toPayload(toCarrier({ ...start.trace, spanId: spanIdOfRun(runId) }));
          const running = next(input);
          if (start.trace.isSampled) tellEnd(start, input.args[0] as ChunkInput, running);
          return running;
        },
      },
    ],
    outbound: [
      {
        scheduleActivity: (input, next) => next(told(input, onward)),
        startChildWorkflowExecution: (input, next) => next(told(input, toChildren)),
        continueAsNew: (input, next) => next(told(input, onward)),
      },
    ],
  };
};
