import type { SignalLimits } from '../contracts/signal-limits.ts';
import type { EventOutcome, NodeRef, RunSummary, StepAnswer } from '../contracts/signal-run.ts';
import type { Step, EventRun } from './event-run.ts';
import { stepsOf } from './event-run.ts';

/** Reason of an event whose chain grew deeper than its bound. */
export const HOP_LIMIT = 'hop limit reached';

type Bounds = Pick<SignalLimits, 'depth' | 'actionsPerEvent'>;

/** Whether a step is an action beyond the event's budget: it is skipped. */
export const isOverBudget = (run: RunSummary, { node }: Pick<Step, 'node'>, { actionsPerEvent }: Pick<Bounds, 'actionsPerEvent'>): boolean =>
  node.kind === 'action' && run.actions >= actionsPerEvent;

const conclude = (run: EventRun, outcome: EventOutcome): EventRun => ({ ...run, terminal: run.terminal ?? outcome });

const addNodes = (run: EventRun, nodes: readonly NodeRef[], { depth }: Pick<Bounds, 'depth'>): EventRun => {
  // Signals are handled before actions, whatever the order in which a handler names them.
  const ordered = [...nodes.filter(({ kind }) => kind === 'signal'), ...nodes.filter(({ kind }) => kind !== 'signal')];
  const steps = ordered.filter((node) => node.depth <= depth).flatMap(stepsOf);
  const isCut = ordered.some((node) => node.depth > depth && node.handlers.length > 0);
  const grown = { ...run, nodes: run.nodes + nodes.length, queue: [...run.queue, ...steps] };
  return isCut ? conclude(grown, { status: 'concluded', reason: HOP_LIMIT }) : grown;
};

/** The run after a step's answer. The first terminal result names the event's status; the queue is drained all the same. */
export const applyAnswer = (
  run: EventRun,
  handlerId: string,
  { answer, bounds }: { readonly answer: StepAnswer; readonly bounds: Bounds },
): EventRun => {
  switch (answer.status) {
    case 'none':
      return run;
    case 'dispatch':
      return addNodes(run, answer.nodes, bounds);
    case 'executed':
      return addNodes({ ...run, actions: run.actions + 1 }, answer.nodes, bounds);
    case 'wait':
      return conclude(run, { status: 'waiting', reason: answer.reason });
    case 'schedule':
      return conclude(run, { status: 'scheduled', reason: answer.reason });
    case 'conclude':
      return conclude(run, { status: 'concluded', reason: answer.reason });
    case 'failed':
      return { ...run, failed: [...run.failed, `${handlerId}: ${answer.error.code}: ${answer.error.message}`] };
    case 'start':
      return run;
    default:
      return answer satisfies never;
  }
};

/** How a run that is over ended: a failed branch outweighs everything else, then the first terminal result. */
export const outcomeOf = ({ terminal, failed }: RunSummary): EventOutcome => {
  if (failed.length > 0) return { status: 'failed', reason: failed.join('; ') };
  return terminal ?? { status: 'completed', reason: null };
};
