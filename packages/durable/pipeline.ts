import { CancellationScope, ContinueAsNew, makeContinueAsNewFunc, setCurrentDetails, workflowInfo } from '@temporalio/workflow';
import type { WorkflowInfo } from '@temporalio/workflow';
import { RUN_FAILURES } from '../contracts/failures.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import type { Counted, EntryRequest } from '../contracts/entry-activities.ts';
import type { Finalized, FinalizeRequest } from '../contracts/finish-activities.ts';
import type { RunResult } from '../contracts/run.ts';
import { endMessages } from '../contracts/texts.ts';
import { pipelineCalls } from './activity-proxies.ts';
import type { PipelineCalls } from './activity-proxies.ts';
import { installControls } from './controls.ts';
import { childLabels, labelOutcome, labelScope, labelStart } from './labels.ts';
import { PageWalk } from './page-walk.ts';
import { withProgress } from './progress-loop.ts';
import { describeResult, runFailure, toRunFailure } from './run-endings.ts';
import { installFlow } from './flow.ts';
import type { Flow, FlowInbox } from './flow.ts';
import { describeDetails, describeProgress } from './run-progress.ts';
import { carryOver, isCarried } from './carried-run.ts';
import { createRunMemory, rememberCount, rememberPreflight } from './run-state.ts';
import type { CarriedRun } from './carried-run.ts';
import type { RunMemory } from './run-state.ts';
import { createScheduler } from './scheduler.ts';
import type { Rest } from './flight.ts';
import type { Scheduler } from './scheduler.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';

const SIZE_BUDGET_BYTES = 4_000_000;
// A child costs its initiation, start and end, and at most two workflow tasks of three events; an activity costs less.
const EVENTS_A_UNIT = 9;
// Progress readings while the last units run, and the task that continues as new.
const EVENTS_TO_DRAIN = 40;

/** One run of the chain: what it knows and what it works with. */
interface Story {
  readonly contract: PipelineContract;
  readonly info: WorkflowInfo;
  readonly calls: PipelineCalls;
  readonly memory: RunMemory;
  readonly inbox: FlowInbox;
  flow: Flow | null;
  walk: PageWalk | null;
  scheduler: Scheduler | null;
}

const progressOf = ({ info, memory, walk }: Story) => {
  if (walk !== null) memory.work = walk.position().work;
  return describeProgress(info.workflowId, memory);
};

const detailsOf = (story: Story): string => describeDetails(progressOf(story), story.contract.texts.noun);

/** Whether so many units more would fill this run's history beyond its budget. */
const isFull = (budget: number, units: number): boolean => {
  const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
  return historyLength + EVENTS_TO_DRAIN + units * EVENTS_A_UNIT > budget || historySize >= SIZE_BUDGET_BYTES || continueAsNewSuggested;
};

const endEarly = (
  story: Story,
  end: { outcome: 'aborted' | 'nothingToDo' | 'dryRun'; message: string; finishedAt: string; dryRun: boolean },
): RunResult => {
  const { memory, info } = story;
  memory.ended = end.outcome;
  labelOutcome(end.outcome);
  setCurrentDetails(`${end.message}\n\n${detailsOf(story)}`);
  return describeResult(memory, info.workflowId, { ...end, startedAt: memory.startedAt ?? info.startTime.toISOString() });
};

const openFlow = (story: Story): Flow => {
  const { info, memory, inbox } = story;
  const owner = { workflowId: info.workflowId, firstRunId: info.firstExecutionRunId };
  const flow = inbox.open(memory.flow, owner, memory.gates);
  story.flow = flow;
  return flow;
};

/** Gives all permits back; a run that is being cancelled does so, too. */
const closeFlow = async ({ flow }: Story): Promise<void> => {
  if (flow !== null) await CancellationScope.nonCancellable(() => flow.leave('process', 'paginate', 'execute'));
};

/** Counts under the permit of the `process` layer. */
const countPaced = async (story: Story, request: EntryRequest): Promise<Counted> => {
  const { calls, memory } = story;
  const flow = openFlow(story);
  const gate = flow.gates.process;
  const notBefore = await flow.enter('process', () => memory.control === 'aborting');
  try {
    return await calls.countEligible({ ...request, ...(notBefore === null ? {} : { notBefore }) });
  } finally {
    gate?.release(1);
    gate?.demand(0, 0);
    flow.flush();
  }
};

/** Layer 1: parse, preconditions, count; opens the run, or answers how it ended without one. */
const enter = async (story: Story, args: readonly unknown[]): Promise<RunResult | null> => {
  const { contract, info, calls, memory } = story;
  const owner = { workflowId: info.workflowId, firstRunId: info.firstExecutionRunId, runId: info.runId };
  labelStart(contract.type, info.workflowId);
  const preflighted = await calls.preflight({ args, owner });
  rememberPreflight(memory, preflighted);
  labelScope(preflighted);
  const { dryRun } = preflighted;
  if (memory.control === 'aborting') {
    const message = endMessages(contract.texts).aborted(memory.items, null);
    return endEarly(story, { outcome: 'aborted', message, finishedAt: new Date().toISOString(), dryRun });
  }
  const counted = await countPaced(story, { args, owner });
  rememberCount(memory, counted);
  if (counted.ended === null) return null;
  const { outcome, message, finishedAt } = counted.ended;
  return endEarly(story, { outcome: outcome as 'nothingToDo' | 'dryRun', message, finishedAt, dryRun });
};

/** Layers 2 and 3: pages, chunks and items in flight until nothing is left, the run is stopped, or its history is full. */
const workOff = async (story: Story): Promise<Rest> => {
  const { contract, info, calls, memory } = story;
  const { run, scope, plan, tenant } = requireOpened(memory);
  const walk = new PageWalk(plan, memory);
  story.walk = walk;
  const labels = childLabels({ pipeline: contract.type, workflowId: info.workflowId, scope, tenant });
  const context = { type: contract.type, entity: contract.entity, calls, run: run.id, epoch: run.epoch, scope, plan, labels };
  const flow = story.flow ?? openFlow(story);
  story.inbox.onChange = () => story.scheduler?.onFlow();
  story.inbox.onChunkNeed = (need) => story.scheduler?.onChunkNeed(need);
  const source = { memory, read: () => calls.readProgress({ run: run.id }), details: () => detailsOf(story) };
  for (;;) {
    story.scheduler = createScheduler({ memory, walk, context, flow, isFull: (units) => isFull(plan.eventBudget, units) });
    const { scheduler } = story;
    const rest = await withProgress(source, () => scheduler.run());
    Object.assign(memory, walk.position());
    if (rest !== 'renew' || memory.control === 'running') return rest;
  }
};

const requireOpened = ({ run, scope, plan, tenant }: RunMemory) => {
  if (run === null || scope === null || plan === null) throw runFailure(RUN_FAILURES.internalError, 'the run was not opened');
  return { run, scope, plan, tenant };
};

/** Recounts the run from the ledger and ends its row; hurried where somebody waits for the stop. */
const finalize = ({ calls, memory }: Story, ended: FinalizeRequest['ended']): Promise<Finalized> =>
  CancellationScope.nonCancellable(() =>
    calls.finalize({ run: requireOpened(memory).run.id, ended, counted: memory.items, ...memory.work }, ended !== 'drained' && ended !== 'threshold'),
  );

/** Ends the run as it came to rest: a result, a failure with the counters, or the cancellation. */
const conclude = async (story: Story, rest: Exclude<Rest, 'renew'>): Promise<RunResult> => {
  const { contract, info, memory } = story;
  const finalized = await finalize(story, rest).catch((error: unknown) => withoutLedger(story, rest, error));
  const { outcome, message, finishedAt, ...items } = finalized;
  memory.items = items;
  memory.ended = outcome;
  labelOutcome(outcome);
  setCurrentDetails(`${message}\n\n${detailsOf(story)}`);
  if (outcome === 'canceled') await CancellationScope.current().cancelRequested;
  const result = describeResult(memory, info.workflowId, {
    outcome: outcome === 'failed' || outcome === 'canceled' ? 'completedWithFailures' : outcome,
    message,
    finishedAt,
    dryRun: false,
    startedAt: memory.startedAt ?? finishedAt,
  });
  if (outcome !== 'failed') return result;
  const { success: _success, outcome: _outcome, ...counters } = result;
  const type = rest === 'databaseUnavailable' ? RUN_FAILURES.databaseUnavailable : RUN_FAILURES.failureThresholdExceeded;
  throw runFailure(type, message, [{ ...counters, pipeline: contract.type }]);
};

/** Numbers of a stopped run whose clean-up could not reach the ledger: what the receipts said. A run that was not stopped fails instead. */
const withoutLedger = ({ memory, contract }: Story, rest: Rest, error: unknown): Finalized => {
  if (rest !== 'aborted' && rest !== 'canceled' && rest !== 'databaseUnavailable') throw error;
  const outcome = rest === 'databaseUnavailable' ? 'failed' : rest;
  const message =
    outcome === 'failed'
      ? 'the database could not be reached; the items are still open'
      : endMessages(contract.texts).aborted(memory.items, memory.counts);
  return { ...memory.items, outcome, message, finishedAt: new Date().toISOString() };
};

const tell = async (story: Story, args: readonly unknown[], carried: CarriedRun | null): Promise<RunResult> => {
  if (carried === null) {
    const ended = await enter(story, args);
    if (ended !== null) return ended;
  }
  const rest = await workOff(story);
  if (rest !== 'renew') return conclude(story, rest);
  await story.flow?.settle();
  const next = carryOver(story.memory, story.flow?.carry() ?? {});
  return makeContinueAsNewFunc<(carried: CarriedRun) => Promise<RunResult>>({ workflowTaskTimeout: TASK_TIMEOUT })(next);
};

/** Makes the workflow of a pipeline from its contract: entry, page loop, chunks and items, with progress and controls. */
export const pipeline =
  (contract: PipelineContract) =>
  async (...args: unknown[]): Promise<RunResult> => {
    const info = workflowInfo();
    const carried = info.continuedFromExecutionRunId !== undefined && isCarried(args[0]) ? args[0] : null;
    const memory = createRunMemory(carried);
    const inbox = installFlow();
    const story: Story = { contract, info, calls: pipelineCalls(contract), memory, inbox, flow: null, walk: null, scheduler: null };
    installControls(
      memory,
      () => progressOf(story),
      (verb) => story.scheduler?.onControl(verb),
    );
    try {
      const result = await tell(story, args, carried);
      await closeFlow(story);
      return result;
    } catch (error) {
      if (error instanceof ContinueAsNew) throw error;
      await closeFlow(story);
      const failure = toRunFailure(error);
      const isFault = failure !== error && memory.run !== null && memory.ended === null;
      if (isFault) await finalize(story, 'failed').catch(() => undefined);
      throw failure;
    }
  };
