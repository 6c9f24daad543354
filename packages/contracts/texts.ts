import type { PipelineTexts } from './pipeline.ts';
import type { EntryCounts, ItemCounts } from './counts.ts';

const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Items that ended in this run: done, failed or skipped. */
export const computeProcessed = (items: Pick<ItemCounts, 'succeeded' | 'failed' | 'skipped'>): number =>
  items.succeeded + items.failed + items.skipped;

/** Items of the entry's count that are still open; never below 0. */
export const computeRemaining = (toProcess: number, items: ItemCounts): number => Math.max(0, toProcess - computeProcessed(items));

/** The messages a run ends with, in the words of its contract. */
export const endMessages = (texts: PipelineTexts) => ({
  dryRun: (toProcess: number): string => `[DryRun] Would ${texts.verb} ${toProcess} ${texts.noun}`,
  noEligible: (): string => texts.noEligible,
  allProcessed: (): string => texts.allProcessed,
  nothingToRedrive: (): string => `No failed ${texts.noun} to redrive`,
  completed: (items: ItemCounts): string => `${capitalize(texts.verbPast)} ${computeProcessed(items)} ${texts.noun}`,
  completedWithFailures: (items: ItemCounts): string =>
    `${capitalize(texts.verbPast)} ${computeProcessed(items)} ${texts.noun}, ${items.failed} failed`,
  aborted: (items: ItemCounts, counts: Pick<EntryCounts, 'toProcess'> | null): string =>
    counts === null
      ? `Aborted before ${texts.noun} were counted`
      : `Aborted: ${computeProcessed(items)} of ${counts.toProcess} ${texts.noun} ${texts.verbPast}`,
  threshold: (items: ItemCounts, counts: Pick<EntryCounts, 'toProcess'>): string => `${items.failed} of ${counts.toProcess} ${texts.noun} failed`,
});
