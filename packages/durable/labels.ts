import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import type { SearchAttributePair } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import { encodeIdPart } from '../contracts/ids.ts';
import type { SearchAttributeName } from '../contracts/search-attributes.ts';
import type { Unit } from './units.ts';

const pair = (name: SearchAttributeName, value: string): SearchAttributePair => ({
  key: defineSearchAttributeKey(name, SearchAttributeType.KEYWORD),
  value: encodeIdPart(value),
});

/** How children of a run are called in the Temporal UI. */
export interface ChildLabels {
  readonly attributes: SearchAttributePair[];
  unit(unit: Unit): string;
}

export interface RunLabels {
  readonly pipeline: string;
  readonly workflowId: string;
  readonly scope: string;
  readonly tenant: string | null;
}

const runValue = (workflowId: string): SearchAttributePair => ({
  key: defineSearchAttributeKey('StrataRun', SearchAttributeType.KEYWORD),
  value: workflowId.slice(0, 255),
});

/** Labels of a run's children: summaries like `page 3 · chunk 2 · 20 items` and the search attributes that find them. */
export const childLabels = ({ pipeline, workflowId, scope, tenant }: RunLabels): ChildLabels => ({
  attributes: [
    pair('StrataPipeline', pipeline),
    runValue(workflowId),
    pair('StrataLayer', 'execute'),
    pair('StrataScope', scope),
    ...(tenant === null ? [] : [pair('StrataTenant', tenant)]),
  ],
  unit: ({ page, chunk, itemIds }) => `page ${page} · chunk ${chunk} · ${itemIds.length} items`,
});

/** Makes a run findable before anything else happens to it, however it was started. */
export const labelStart = (pipeline: string, workflowId: string): void =>
  upsertSearchAttributes([pair('StrataPipeline', pipeline), runValue(workflowId), pair('StrataLayer', 'process')]);

/** Adds what the parsed input told: scope and tenant. */
export const labelScope = ({ scope, tenant }: Pick<RunLabels, 'scope' | 'tenant'>): void =>
  upsertSearchAttributes([pair('StrataScope', scope), ...(tenant === null ? [] : [pair('StrataTenant', tenant)])]);

/** Adds how the run ended. */
export const labelOutcome = (outcome: string): void => upsertSearchAttributes([pair('StrataOutcome', outcome)]);
