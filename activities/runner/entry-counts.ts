import type { EntryCounts } from '../../packages/contracts/counts.ts';
import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import type { Outcome } from '../../packages/contracts/run.ts';
import { endMessages } from '../../packages/contracts/texts.ts';
import type { EligibleCount } from '../../packages/database/eligible.ts';
import type { Runner } from './definition.ts';

/** The entry's numbers from what the query counted. */
export const toCounts = (input: PipelineInput, { total, processed }: EligibleCount): EntryCounts => {
  const open = total - processed;
  const toProcess = Math.min(open, input.maxItems ?? open);
  return {
    totalEligible: total,
    toProcess,
    alreadyProcessed: processed,
    deferred: open - toProcess,
    notEligible: input.itemIds === undefined ? 0 : new Set(input.itemIds).size - total,
  };
};

/** The entry's numbers of a stored run. */
export const countsOf = ({ totalEligible, toProcess, alreadyProcessed, deferred, notEligible }: EntryCounts): EntryCounts => ({
  totalEligible,
  toProcess,
  alreadyProcessed,
  deferred,
  notEligible,
});

/** Most failures that the input's threshold allows, or null without one. */
export const maxFailuresOf = ({ failureThreshold: threshold }: PipelineInput, toProcess: number): number | null => {
  if (threshold === undefined) return null;
  return 'count' in threshold ? threshold.count : Math.floor(threshold.share * toProcess + 1e-9);
};

/** How a start ends without opening a run, or null when there is work to do. */
export const endedAtEntry = <F extends FieldSpecs>(
  { contract }: Runner<F>,
  input: PipelineInput<F>,
  counts: EntryCounts,
): { outcome: Outcome; message: string } | null => {
  const say = endMessages(contract.texts);
  const ended: Outcome = input.dryRun ? 'dryRun' : 'nothingToDo';
  if (counts.totalEligible === 0)
    return { outcome: 'nothingToDo', message: input.redriveOf === undefined ? say.noEligible() : say.nothingToRedrive() };
  if (input.dryRun) return { outcome: ended, message: say.dryRun(counts.toProcess) };
  return counts.toProcess === 0 ? { outcome: ended, message: say.allProcessed() } : null;
};
