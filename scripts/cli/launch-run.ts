import type { StartInput } from '../../packages/contracts/fields.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import { isRefusal } from '../../packages/runtime/run-ending.ts';
import type { RunStatus } from '../../packages/runtime/run-status.ts';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import type { ExitCode } from '../../packages/runtime/user-error.ts';
import { parseWholeNumber } from './numbers.ts';
import type { Output } from './output.ts';
import type { PipelineSession } from './pipeline-session.ts';
import { describeStatus } from './run-text.ts';
import { createProgressView } from './run-watch.ts';

/** What to start and how long to stay. */
export interface Launch {
  readonly contract: PipelineContract;
  readonly input: StartInput;
  readonly wait: boolean | undefined;
  readonly follow: boolean | undefined;
  /** Seconds in the queue without a worker after which waiting fails. */
  readonly workerWithin: string;
}

/** Starts a run, stays with it as asked, prints the one answer and resolves to the exit code; a refused start is a UserError (exit 2). */
export async function launchRun({ pipelines }: PipelineSession, output: Output, launch: Launch): Promise<ExitCode> {
  const { contract, input } = launch;
  const workerWithinMs = parseWholeNumber(launch.workerWithin, { name: '--worker-within', from: 1, to: 86_400 }) * 1_000;
  const started = await pipelines.start(contract, input);
  const stays = launch.wait === true || launch.follow === true;
  const entered = await pipelines.entry(contract, started);
  if (entered.failure !== undefined && isRefusal(entered.failure.type)) throw new UserError(entered.failure.message, EXIT.refused);
  const isOver = entered.finishedAt !== undefined || entered.failure !== undefined;
  if (stays && entered.noWorkerSince !== undefined) output.note(`${started.workflowId} is queued, no worker since ${entered.noWorkerSince}`);

  const view = createProgressView(output, launch.follow === true);
  const watch = async (): Promise<RunStatus> => {
    let last: RunStatus | undefined;
    try {
      return (last = await pipelines.watch(contract, started, { everyMs: view.everyMs, workerWithinMs, onStatus: view.show }));
    } finally {
      view.end(last);
    }
  };
  const status = stays && !isOver ? await watch() : entered;
  if (status.failure !== undefined && isRefusal(status.failure.type)) throw new UserError(status.failure.message, EXIT.refused);
  output.document({ ...started, ...status }, () => (started.joined ? `joined the active run\n${describeStatus(status)}` : describeStatus(status)));
  return exitOf(status, stays);
}

/** Whoever does not wait is told of a bad end only where the entry itself ended badly: anything later is a matter of timing. */
function exitOf(status: RunStatus, stays: boolean): ExitCode {
  const endedBadly = status.failure !== undefined || status.success === false;
  if (!endedBadly) return EXIT.done;
  return stays || status.toProcess === undefined ? EXIT.endedBadly : EXIT.done;
}
