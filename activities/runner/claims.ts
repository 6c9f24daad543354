import { Context } from '@temporalio/activity';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import type { Claimant, Claims } from '../../packages/database/item-claims.ts';
import { claimItems } from '../../packages/database/item-claims.ts';
import { isUnavailable } from './commit.ts';
import type { Runner } from './definition.ts';
import { createGatherer } from './gather.ts';
import type { KnownRun } from './runs.ts';

const GROUP_SIZE = 100;
const GROUPS_AT_ONCE = 2;

/** No claim can be written for such an id: a source that yields one is at fault, and the item fails. */
export const isBlank = (itemId: unknown): boolean => typeof itemId !== 'string' || itemId.trim() === '';

/** Why a run refuses claims, as the workflow is told. */
export const stopOf = (refused: NonNullable<Claims['refused']>): 'aborted' | 'threshold' => (refused === 'threshold' ? 'threshold' : 'aborted');

/** How a claim's failed rows may be taken again by this run. */
const retakesFailedOf = <F extends FieldSpecs>({ contract }: Runner<F>, { input }: KnownRun<F>): 'always' | 'nextRun' | 'never' => {
  if (input.redriveOf !== undefined) return 'always';
  return contract.retryFailed === 'nextRun' ? 'nextRun' : 'never';
};

const claimantOf = (itemId: string): Claimant => {
  const { workflowExecution, activityId } = Context.current().info;
  return { itemId, workflowId: workflowExecution?.workflowId ?? '', activityId };
};

const claim = <F extends FieldSpecs>(runner: Runner<F>, run: KnownRun<F>, claimants: readonly Claimant[]): Promise<Claims> =>
  claimItems(runner.deps.db, {
    run: run.stored.id,
    claimants,
    worker: runner.deps.identity,
    maxAttempts: runner.contract.retry.attempts,
    retakesFailed: retakesFailedOf(runner, run),
  });

/** Claims distinct ids for the activity that runs now. */
export const claimAll = <F extends FieldSpecs>(runner: Runner<F>, run: KnownRun<F>, itemIds: readonly string[]): Promise<Claims> =>
  claim(runner, run, [...new Set(itemIds)].map(claimantOf));

/** Claims one id for the activity that runs now; activities of one run that claim at the same time share a statement. */
export const createClaimer = <F extends FieldSpecs>(runner: Runner<F>): ((run: KnownRun<F>, itemId: string) => Promise<Claims>) => {
  const gatherers = new WeakMap<KnownRun<F>, (claimant: Claimant) => Promise<Claims>>();
  const gathererOf = (run: KnownRun<F>) =>
    createGatherer<Claimant, Claims>({
      work: async (group) => {
        const { answers, ...rest } = await claim(runner, run, group);
        return group.map((_, index) => ({ ...rest, answers: answers.slice(index, index + 1) }));
      },
      alone: (claimant) => claim(runner, run, [claimant]),
      isShared: isUnavailable,
      nameOf: ({ itemId }) => itemId,
      groupSize: GROUP_SIZE,
      groupsAtOnce: GROUPS_AT_ONCE,
    });
  return (run, itemId) => {
    const gather = gatherers.get(run) ?? gathererOf(run);
    gatherers.set(run, gather);
    return gather(claimantOf(itemId));
  };
};
