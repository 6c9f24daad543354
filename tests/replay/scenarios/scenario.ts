import type { WorkflowHandle } from '@temporalio/client';
import type { WorkerOptions } from '@temporalio/worker';
import { createAgentEvalRunActivities } from '../../../activities/agent-eval-run.ts';
import { agentEvalRunContract } from '../../../packages/contracts/agent-eval-run.ts';
import type { PipelineContract } from '../../../packages/contracts/pipeline.ts';
import { createPipelineClient } from '../../../packages/runtime/pipeline-client.ts';
import type { PipelineClient } from '../../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../../packages/testing/rig.ts';
import type { Rig } from '../../../packages/testing/rig.ts';
import { createSignals } from '../../agent-signal/signals.ts';
import type { Signals } from '../../agent-signal/signals.ts';
import { createTrialRig } from '../../pipelines/trial.ts';
import type { TrialRig } from '../../pipelines/trial.ts';

/** Where scenarios are played: probes whose items a scenario declares, evaluation runs, and scopes of agent signal. */
export interface Theatre {
  readonly probes: TrialRig;
  readonly evals: { readonly rig: Rig; readonly contract: PipelineContract; readonly pipelines: PipelineClient };
  readonly signals: { readonly rig: Rig; readonly signals: Signals };
  close(): Promise<void>;
}

/** One execution whose history shows what its name says. */
export interface Played {
  /** `<workflow type>/<scenario>`: its file in the corpus. */
  readonly name: string;
  readonly handle: WorkflowHandle;
}

/** A story played on a real server to its end. `keeps` names the executions that `play` resolves to, in any order. */
export interface Scenario {
  readonly keeps: readonly string[];
  readonly play: (theatre: Theatre) => Promise<readonly Played[]>;
}

const QUICK = { attempts: 2, firstWaitMs: 20, growth: 'linear' } as const;

/** A scope hears its last event, ends soon, and continues as new after few: small histories that still have every part. */
const SCOPE_LIMITS = { idleMs: 1_000, continueAfterEvents: 4, claimSize: 3, retryFirstMs: 20 };

/** Opens a theatre whose Workers have these options laid over those of production. */
export async function openTheatre(worker: Partial<WorkerOptions> = {}): Promise<Theatre> {
  const quick = { ...agentEvalRunContract, retry: QUICK };
  const probes = await createTrialRig({ retry: { ...QUICK, attempts: 3 } }, { worker });
  const rig = await createRig({ worker, activities: (deps) => createAgentEvalRunActivities(deps, quick) });
  const pipelines = createPipelineClient(rig);
  const scopes = await createRig({ worker, signalLimits: SCOPE_LIMITS });
  const close = async (): Promise<void> => {
    await Promise.all([probes.rig.close(), rig.close(), scopes.close()]);
  };
  return {
    probes,
    evals: { rig, contract: agentEvalRunContract as unknown as PipelineContract, pipelines },
    signals: { rig: scopes, signals: createSignals(scopes, SCOPE_LIMITS) },
    close,
  };
}

/** Pages of six in chunks of three: small histories that still have every part. */
export const SMALL_PLAN = { pageSize: 6, chunkSize: 3 } as const;

/** Workflow id of a chunk child of the first epoch. */
export const chunkIdOf = (scope: string, page: number, chunk: number): string => `probe/${scope}/e1/${page}/${chunk}`;

/** Where an execution is found; without a run id the newest of the workflow id. */
export interface ExecutionRef {
  readonly workflowId: string;
  readonly runId?: string | undefined;
}

/** A played execution of the probes' rig. */
export const played = ({ probes }: Theatre, name: string, { workflowId, runId }: ExecutionRef): Played => ({
  name,
  handle: probes.rig.client.workflow.getHandle(workflowId, runId),
});
