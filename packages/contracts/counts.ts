/** Numbers of the entry's count; `totalEligible = toProcess + alreadyProcessed + deferred`. */
export interface EntryCounts {
  readonly totalEligible: number;
  readonly toProcess: number;
  readonly alreadyProcessed: number;
  readonly deferred: number;
  readonly notEligible: number;
}

/** Items by how they ended; `interrupted` were stopped by an abort, neither failed nor done. */
export interface ItemCounts {
  readonly succeeded: number;
  readonly failed: number;
  readonly skipped: number;
  readonly interrupted: number;
}

/** Work handed out so far: pages begun, chunks started as children, items or slices that the parent scheduled itself. */
export interface WorkCounts {
  readonly pages: number;
  readonly chunks: number;
  readonly direct: number;
}

export const NO_ITEMS: ItemCounts = { succeeded: 0, failed: 0, skipped: 0, interrupted: 0 };
