import type { StepRequest, StepResult } from '../../packages/contracts/signal-activities.ts';
import { ATTRIBUTES, SPANS, withSpan } from '../../packages/observability/spans.ts';
import type { SignalMeter } from '../../packages/observability/signal-meter.ts';
import { ClaimLost } from './step-errors.ts';

/** Makes a span of a handler call and counts what came of it; the work's own spans, a model's call among them, are below it. */
export const observeStep = (meter: SignalMeter, request: StepRequest, work: () => Promise<StepResult>): Promise<StepResult> => {
  const { node, handlerId, eventId } = request;
  const attributes = {
    [ATTRIBUTES.handlerId]: handlerId,
    [ATTRIBUTES.eventId]: eventId,
    [ATTRIBUTES.nodeId]: node.id,
    [ATTRIBUTES.nodeType]: node.type,
  };
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1_000;
  return withSpan({ name: node.kind === 'action' ? SPANS.signalAction : SPANS.signalHandler, attributes }, async (span) => {
    try {
      const result = await work();
      span.setAttribute(ATTRIBUTES.outcome, result.answer.status);
      meter.stepEnded({ handlerId, sourceType: request.sourceType }, result, seconds());
      return result;
    } catch (error) {
      if (!(error instanceof ClaimLost)) meter.stepRetried(handlerId, seconds());
      throw error;
    }
  });
};
