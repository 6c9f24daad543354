import type { Client } from '@temporalio/client';
import { ScheduleAlreadyRunning, ScheduleNotFoundError } from '@temporalio/client';
import type { StartInput } from '../contracts/fields.ts';
import { pipelineContracts } from '../contracts/index.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import { TASK_TIMEOUT } from '../contracts/workflow-tasks.ts';
import type { StartDeps } from './pipeline-start.ts';
import { describeStart } from './start-input.ts';
import { EXIT, UserError } from './user-error.ts';

/** A pipeline's Schedule to be made: every so many ms or by cron, in UTC. */
export interface NewSchedule {
  readonly name: string;
  readonly contract: PipelineContract;
  readonly input: StartInput;
  readonly when: { readonly everyMs: number } | { readonly cron: string };
  readonly paused: boolean;
}

/** A pipeline's Schedule as Temporal has it. */
export interface ScheduleEntry {
  readonly name: string;
  readonly pipeline: string;
  readonly paused: boolean;
  readonly note: string | null;
  readonly nextAt: string | null;
  readonly lastRun: { readonly workflowId: string; readonly at: string } | null;
}

/** Makes a Schedule that skips a tick while its last run is open; input and time are refused (exit 2) before anything is made. */
export async function createSchedule({ client, taskQueue }: StartDeps, schedule: NewSchedule): Promise<void> {
  const { name, contract, input, when } = schedule;
  const { workflowId, staticSummary, memo } = describeStart(contract, input);
  try {
    await client.schedule.create({
      scheduleId: name,
      spec: 'cron' in when ? { cronExpressions: [when.cron] } : { intervals: [{ every: when.everyMs }] },
      action: {
        type: 'startWorkflow',
        workflowType: contract.type,
        workflowId,
        taskQueue,
        args: [input],
        workflowTaskTimeout: TASK_TIMEOUT,
        staticSummary,
        memo,
      },
      policies: { overlap: 'SKIP' },
      state: { paused: schedule.paused },
    });
  } catch (error) {
    if (error instanceof ScheduleAlreadyRunning) throw new UserError(`schedule ${name} exists already: delete it first`, EXIT.refused);
    // The client's own word for an INVALID_ARGUMENT of the server.
    if (error instanceof TypeError) throw new UserError(`schedule ${name} was refused: ${error.message}`, EXIT.refused, error);
    throw error;
  }
}

/** Every Schedule that starts a pipeline; the list lags behind by a moment. */
export async function listSchedules(client: Client): Promise<readonly ScheduleEntry[]> {
  const entries: ScheduleEntry[] = [];
  for await (const { scheduleId, action, state, info } of client.schedule.list()) {
    const pipeline = action?.workflowType;
    if (pipeline === undefined || !pipelineContracts.some(({ type }) => type === pipeline)) continue;
    const last = info.recentActions.at(-1);
    entries.push({
      name: scheduleId,
      pipeline,
      paused: state.paused,
      note: state.note ?? null,
      nextAt: info.nextActionTimes[0]?.toISOString() ?? null,
      lastRun: last?.action.type === 'startWorkflow' ? { workflowId: last.action.workflow.workflowId, at: last.takenAt.toISOString() } : null,
    });
  }
  return entries;
}

/** Pauses, resumes or deletes a Schedule; an unknown one is a UserError (exit 3). */
export async function changeSchedule(client: Client, name: string, verb: 'pause' | 'unpause' | 'delete'): Promise<void> {
  try {
    await client.schedule.getHandle(name)[verb]();
  } catch (error) {
    if (error instanceof ScheduleNotFoundError) throw new UserError(`no schedule ${name}: see \`strata schedule list\``, EXIT.unreachable);
    throw error;
  }
}
