import type { NodeRef, RunSummary } from '../contracts/signal-run.ts';

/** One handler to be called for one node. */
export interface Step {
  readonly node: NodeRef;
  readonly handlerId: string;
}

/** A run of one event: the steps to be made, first in first out, and what came of those made. */
export interface EventRun extends RunSummary {
  readonly queue: readonly Step[];
}

/** A node's steps, in the order in which its handlers were registered. */
export const stepsOf = (node: NodeRef): readonly Step[] => node.handlers.map((handlerId) => ({ node, handlerId }));

/** Begins with the handlers of a node, in the order of their registration. */
export const startRun = (node: NodeRef): EventRun => ({ queue: stepsOf(node), terminal: null, failed: [], nodes: 0, actions: 0 });

/** Takes up a run where only its summary is known and nothing is queued: what an activity sees of it. */
export const resumeRun = (summary: RunSummary): EventRun => ({ ...summary, queue: [] });

/** The step to be made next; undefined: the run is over. */
export const nextStep = (run: EventRun): Step | undefined => run.queue[0];

/** The run without its next step. */
export const takeStep = (run: EventRun): EventRun => ({ ...run, queue: run.queue.slice(1) });

/** What the run knows beside its queue. */
export const summarize = ({ terminal, failed, nodes, actions }: EventRun): RunSummary => ({ terminal, failed, nodes, actions });
