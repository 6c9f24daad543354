import {
  ActivityCancellationType,
  ActivityFailure,
  ApplicationFailure,
  CancellationScope,
  isCancellation,
  setCurrentDetails,
  sleep,
  workflowInfo,
} from '@temporalio/workflow';
import type { ActivityOptions } from '@temporalio/workflow';
import { EXEC_AGENT_TYPE } from '../contracts/exec-agent.ts';
import type { ExecAgentActivities, ExecAgentStart } from '../contracts/exec-agent.ts';
import { RUN_FAILURES } from '../contracts/failures.ts';
import { installFlow } from './flow.ts';
import type { Flow, FlowInbox } from './flow.ts';
import { callNamed } from './named-activity.ts';

const retry = { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '60 seconds', maximumAttempts: 8 } as const;
const cancellationType = ActivityCancellationType.WAIT_CANCELLATION_COMPLETED;

const bounds = {
  keep: {
    startToCloseTimeout: '30 seconds',
    scheduleToCloseTimeout: '1 hour',
    retry: { ...retry, maximumInterval: '10 seconds', maximumAttempts: 400 },
    cancellationType,
  },
  model: { startToCloseTimeout: '60 seconds', scheduleToCloseTimeout: '5 minutes', retry, cancellationType },
  tool: { startToCloseTimeout: '30 seconds', scheduleToCloseTimeout: '5 minutes', retry, cancellationType },
} satisfies Record<string, ActivityOptions>;

const call = <V extends keyof ExecAgentActivities>(
  verb: V,
  request: Parameters<ExecAgentActivities[V]>[0],
  options: ActivityOptions & { readonly summary: string },
): ReturnType<ExecAgentActivities[V]> => callNamed(`${EXEC_AGENT_TYPE}.${verb}`, request, options);

const requireStart = (start: unknown): ExecAgentStart => {
  const operationId = typeof start === 'object' && start !== null && 'operationId' in start ? start.operationId : undefined;
  if (typeof operationId !== 'string' || operationId.trim() === '')
    throw ApplicationFailure.nonRetryable('an agent run is started by the action that asks for it: {"operationId":"…"}', RUN_FAILURES.invalidInput);
  return { operationId };
};

/** A permit of the key that all agent runs share; its start time is kept. */
const enter = async (inbox: FlowInbox, flow: Parameters<FlowInbox['open']>[0]['execute']): Promise<Flow> => {
  const { workflowId, firstExecutionRunId } = workflowInfo();
  const opened = inbox.open({ process: null, paginate: null, execute: flow }, { workflowId, firstRunId: firstExecutionRunId }, {});
  const startAtMs = await opened.enter('execute', () => false);
  if (startAtMs !== null && startAtMs > Date.now()) await sleep(startAtMs - Date.now());
  return opened;
};

interface Progress {
  steps: number;
}

/** The bounded loop: the model decides, tools do, until it is done or has had its steps. */
const runSteps = async ({ operationId }: ExecAgentStart, maxSteps: number, progress: Progress): Promise<string> => {
  for (let step = 1; step <= maxSteps; step++) {
    setCurrentDetails(`step ${step} of at most ${maxSteps}`);
    const { done, calls } = await call('think', { operationId, step }, { ...bounds.model, summary: `step ${step} · model` });
    progress.steps = step;
    for (const { callId, apiName } of calls)
      await call('useTool', { operationId, step, callId }, { ...bounds.tool, summary: `step ${step} · ${apiName}` });
    if (done) return 'done';
  }
  return 'max_steps';
};

const reasonOf = (error: unknown): string => {
  if (isCancellation(error)) return 'cancelled';
  const cause = error instanceof ActivityFailure ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
};

/** One agent run of our own, headless and bounded: its end is its only event, whichever way it ends. */
export const runExecAgent = async (given: unknown): Promise<{ readonly reason: string; readonly steps: number } | null> => {
  const inbox = installFlow();
  const start = requireStart(given);
  const progress: Progress = { steps: 0 };
  let flow: Flow | undefined;
  try {
    const { isOver, maxSteps, flow: key } = await call('begin', start, { ...bounds.keep, summary: 'begin' });
    if (isOver) return null;
    flow = await enter(inbox, key);
    const reason = await runSteps(start, maxSteps, progress);
    await call('finish', { ...start, steps: progress.steps, reason }, { ...bounds.keep, summary: `finish · ${reason}` });
    return { reason, steps: progress.steps };
  } catch (error) {
    const reason = reasonOf(error);
    await CancellationScope.nonCancellable(() => call('fail', { ...start, steps: progress.steps, reason }, { ...bounds.keep, summary: 'fail' }));
    throw error;
  } finally {
    await CancellationScope.nonCancellable(async () => flow?.leave('execute'));
  }
};
