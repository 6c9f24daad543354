import { log } from '@temporalio/activity';
import type { EntryRequest, Preflighted } from '../../packages/contracts/entry-activities.ts';
import type { FieldSpecs } from '../../packages/contracts/fields.ts';
import { findPlanProblem } from '../../packages/contracts/run-plan.ts';
import { readScopeState } from '../../packages/database/scope-store.ts';
import { logPrefix } from '../../packages/observability/log-fields.ts';
import type { Runner } from './definition.ts';
import { loadFlowKeys } from './flow-keys.ts';
import { refuseInput } from './failures.ts';
import { requestIdOf, requireInput, requireRedrivable, scopeOf } from './start-request.ts';

const tenantOf = (input: Readonly<Record<string, unknown>>): string | null => {
  const owner = input['workspaceId'] ?? input['userId'];
  return typeof owner === 'string' ? owner : null;
};

/** `preflight`: strict parse, then the pipeline's own preconditions; writes nothing. */
export const createPreflight =
  <F extends FieldSpecs>(runner: Runner<F>) =>
  async ({ args }: EntryRequest): Promise<Preflighted> => {
    const { contract, definition, deps } = runner;
    const input = requireInput(runner, args);
    const scope = scopeOf(runner, input);
    log.info(`${logPrefix(contract.entity, 'process')} Starting with payload:`, { scope, dryRun: input.dryRun });
    if (input.redriveOf !== undefined) await requireRedrivable(runner, input.redriveOf, scope);
    const { isUnfinished } = await readScopeState(deps.db, contract.type, scope);
    const answer = (await definition.preflight?.({ input, hasUnfinishedRun: isUnfinished })) ?? {};
    const chosen = input.maxConcurrency === undefined ? {} : { maxConcurrency: input.maxConcurrency };
    const plan = { ...contract.plan, ...answer.plan, ...chosen };
    const problem = findPlanProblem(plan);
    if (problem !== undefined) throw refuseInput([{ path: problem.split(' ')[0] ?? '', code: 'out_of_bounds', message: problem }]);
    return {
      requestId: requestIdOf(input),
      scope,
      dryRun: input.dryRun,
      redrive: input.redriveOf !== undefined,
      tenant: tenantOf(input),
      plan,
      flow: await loadFlowKeys(runner, input),
    };
  };
