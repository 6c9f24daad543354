/** Keyword search attributes that set-up registers and every run fills. */
export const SEARCH_ATTRIBUTES = [
  'StrataPipeline',
  'StrataRun',
  'StrataLayer',
  'StrataScope',
  'StrataLane',
  'StrataTenant',
  'StrataOutcome',
] as const;

export type SearchAttributeName = (typeof SEARCH_ATTRIBUTES)[number];
