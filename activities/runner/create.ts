import { Context } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { PipelineActivities } from '../../packages/contracts/pipeline-activities.ts';
import type { PipelineDefinition, Runner, RunnerDeps } from './definition.ts';
import { createCountEligible } from './count-eligible.ts';
import { createPreflight } from './preflight.ts';
import { createEventCounter } from './events.ts';
import type { EventCounter } from './events.ts';
import { translateDatabaseError } from './failures.ts';
import { createFinalize, createReadProgress } from './finish.ts';
import { createExecuteItem } from './item.ts';
import { createAwaitStart, untilStart } from './pacing.ts';
import { createListPage } from './pages.ts';
import { createRunLoader } from './runs.ts';
import { createExecuteSlice } from './slice.ts';
import { createWatch } from './watch.ts';
import { watchItems } from './watch-items.ts';

type Handler = (request: never) => Promise<unknown>;

interface Guard {
  readonly contract: PipelineContract;
  readonly events: EventCounter;
  readonly watch: ReturnType<typeof createWatch>;
}

/**
 * Counts how each call ended and keeps database errors inside: an unreachable database becomes its own retryable failure,
 * any other a SQLSTATE without SQL or values.
 */
const guarded =
  ({ contract, events, watch }: Guard, [verb, handler]: [keyof PipelineActivities, Handler]): Handler =>
  async (request) => {
    try {
      if (verb !== 'executeItem') await untilStart(request);
      const answer = await watch(verb, request, () => handler(request));
      events.ended(verb, request, answer);
      return answer;
    } catch (error) {
      const failure = translateDatabaseError(contract, error, Context.current().info.attempt);
      events.failed(verb, failure);
      throw failure;
    }
  };

/** Activities of one pipeline, named `<type>.<verb>` as the workflow calls them. */
export const createPipelineActivities = <F extends FieldSpecs>(
  contract: PipelineContract<F>,
  definition: PipelineDefinition<F>,
  deps: RunnerDeps,
): Record<string, Handler> => {
  const authored: Runner<F> = { contract, definition, deps };
  const loadRun = createRunLoader(authored);
  const runner: Runner<F> = { ...authored, definition: watchItems(authored, loadRun) };
  const awaitStart = createAwaitStart();
  const activities: PipelineActivities = {
    preflight: createPreflight(runner),
    countEligible: createCountEligible(runner),
    listPage: createListPage(runner, loadRun),
    executeItem: createExecuteItem(runner, { loadRun, awaitStart }),
    executeSlice: createExecuteSlice(runner, { loadRun, awaitStart }),
    readProgress: createReadProgress(runner),
    finalize: createFinalize(runner, loadRun),
  };
  const guard: Guard = {
    contract: contract as PipelineContract,
    events: createEventCounter(contract.type, deps),
    watch: createWatch(runner, loadRun),
  };
  const named = Object.entries(activities) as [keyof PipelineActivities, Handler][];
  return Object.fromEntries(named.map((entry) => [`${contract.type}.${entry[0]}`, guarded(guard, entry)]));
};
