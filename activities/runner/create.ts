import { Context } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import type { PipelineDefinition, Runner, RunnerDeps } from './definition.ts';
import { createCountEligible, createPreflight } from './entry.ts';
import { translateDatabaseError } from './failures.ts';
import { createFinalize, createReadProgress } from './finish.ts';
import { createExecuteItem } from './item.ts';
import { createListPage } from './pages.ts';
import { createRunLoader } from './runs.ts';
import { createExecuteSlice } from './slice.ts';

type Handler = (request: never) => Promise<unknown>;

/** Keeps database errors inside: an unreachable database becomes its own retryable failure, any other a SQLSTATE without SQL or values. */
const guarded =
  <H extends Handler>(contract: PipelineContract, handler: H) =>
  async (request: Parameters<H>[0]): Promise<Awaited<ReturnType<H>>> => {
    try {
      return (await handler(request)) as Awaited<ReturnType<H>>;
    } catch (error) {
      throw translateDatabaseError(contract, error, Context.current().info.attempt);
    }
  };

/** Activities of one pipeline, named `<type>.<verb>` as the workflow calls them. */
export const createPipelineActivities = <F extends FieldSpecs>(
  contract: PipelineContract<F>,
  definition: PipelineDefinition<F>,
  deps: RunnerDeps,
): Record<string, Handler> => {
  const runner: Runner<F> = { contract, definition, deps };
  const loadRun = createRunLoader(runner);
  const activities: PipelineActivities = {
    preflight: createPreflight(runner),
    countEligible: createCountEligible(runner),
    listPage: createListPage(runner, loadRun),
    executeItem: createExecuteItem(runner, loadRun),
    executeSlice: createExecuteSlice(runner, loadRun),
    readProgress: createReadProgress(runner),
    finalize: createFinalize(runner, loadRun),
  };
  return Object.fromEntries(
    Object.entries(activities).map(([verb, handler]) => [`${contract.type}.${verb}`, guarded(contract as PipelineContract, handler as Handler)]),
  );
};
