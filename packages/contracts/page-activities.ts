import type { Paced } from './entry-activities.ts';

export interface ListRequest extends Paced {
  readonly run: string;
  readonly dryRun: false;
  readonly cursor: string | null;
  readonly pageSize: number;
}

/** One listing: `pages` walked (wholly processed ones are passed over), open ids of the last one, opaque cursor of the next page or null at the end. */
export interface ListedPage {
  readonly ids: readonly string[];
  readonly pages: number;
  readonly skippedItems: number;
  readonly nextCursor: string | null;
}
