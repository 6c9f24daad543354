import { sql } from './drizzle.ts';
import type { Executor } from './database.ts';
import { readRow } from './database.ts';

/** What became of the wish to execute one case again; `pending` and `running` are states in which there is nothing to retry. */
export type ReopenAnswer = 'reopened' | 'missing' | 'active' | 'pending' | 'running';

/**
 * Opens one ended case of a run again, in one conditional statement: its row begins a new round, its old trajectories stay.
 * Refused while the run is active, where the claim of a case in work could be taken from under it.
 */
export const reopenCase = async (
  executor: Executor,
  { runId, caseId }: { readonly runId: string; readonly caseId: string },
): Promise<ReopenAnswer> => {
  const found = await readRow<{ exists: boolean; active: boolean; state: string | null; reopened: boolean }>(
    executor,
    sql`
    with chosen as (
      select 1 from eval_runs r join eval_cases c on c.benchmark_id = r.benchmark_id and c.seq <= r.bound
      where r.id = ${runId} and c.case_id = ${caseId}
    ), active as (
      select 1 from pipeline_runs where pipeline = 'agentEvalRun' and scope = ${runId} and finished_at is null
    ), ledger as (
      select i.id, i.state from pipeline_items i join pipeline_epochs e on e.id = i.epoch_id
      where e.pipeline = 'agentEvalRun' and e.scope = ${runId} and i.item_id = ${caseId}
    ), reopened as (
      update pipeline_items i set state = 'open', token = i.token + 1, failed_runs = i.failed_runs + 1
      from ledger l where i.id = l.id and i.state in ('done', 'failed', 'skipped') and exists (select 1 from chosen) and not exists (select 1 from active)
      returning i.id
    )
    select exists (select 1 from chosen) as exists, exists (select 1 from active) as active,
      (select state from ledger) as state, exists (select 1 from reopened) as reopened`,
  );
  if (!found.exists) return 'missing';
  if (found.active) return 'active';
  if (found.reopened) return 'reopened';
  return found.state === 'claimed' ? 'running' : 'pending';
};
