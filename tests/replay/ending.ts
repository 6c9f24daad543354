import { defaultPayloadConverter } from '@temporalio/common';
import type { Payload } from '@temporalio/common';
import type { Sink, Sinks } from '@temporalio/workflow';
import type { History } from './corpus.ts';

/** How an execution ended, and with what. */
export type Ending =
  | { readonly kind: 'completed'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly type: string; readonly message: string; readonly details: readonly unknown[] }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'continuedAsNew'; readonly args: readonly unknown[] };

/** Where a replayed workflow tells its ending. */
export interface EndingSinks extends Sinks {
  readonly ending: Sink & { tell(ending: Ending): void };
}

interface Payloads {
  readonly payloads?: readonly Payload[] | null;
}

const decode = (from: Payloads | null | undefined): unknown[] =>
  (from?.payloads ?? []).map((payload) => defaultPayloadConverter.fromPayload(payload));

/** The ending that the last event of a history records; throws for an execution that is open or was terminated. */
export function readEnding({ events }: History): Ending {
  const last = events?.at(-1);
  if (last?.workflowExecutionCompletedEventAttributes) {
    return { kind: 'completed', value: decode(last.workflowExecutionCompletedEventAttributes.result)[0] };
  }
  if (last?.workflowExecutionCanceledEventAttributes) return { kind: 'canceled' };
  if (last?.workflowExecutionContinuedAsNewEventAttributes) {
    return { kind: 'continuedAsNew', args: decode(last.workflowExecutionContinuedAsNewEventAttributes.input) };
  }
  const failure = last?.workflowExecutionFailedEventAttributes?.failure;
  if (!failure) throw new Error('a recorded execution has ended by itself');
  const { applicationFailureInfo: info } = failure;
  return { kind: 'failed', type: info?.type ?? '', message: failure.message ?? '', details: decode(info?.details) };
}
