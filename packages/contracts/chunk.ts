import type { RunPlan } from './run-plan.ts';
import type { StopReason } from './item-activities.ts';
import type { ItemCounts } from './counts.ts';

/** Workflow type of every chunk child. */
export const CHUNK_TYPE = 'pipelineChunk';

/** Input of a chunk child, ≤ 64 KiB: the ids it walks and how many at once; it neither lists nor filters. */
export interface ChunkInput {
  readonly pipeline: string;
  readonly entity: string;
  readonly run: string;
  readonly dryRun: false;
  readonly page: number;
  readonly chunk: number;
  readonly itemIds: readonly string[];
  readonly concurrency: number;
  readonly paused: boolean;
  /** Under a rate: start times to begin with; more are dealt when the chunk says that it needs some. */
  readonly starts?: readonly number[];
  readonly plan: Pick<RunPlan, 'itemTimeoutMs' | 'heartbeatTimeoutMs'>;
}

/** Receipt of a chunk: counters only; failures are in the ledger. */
export interface ChunkReceipt extends ItemCounts {
  readonly stop?: StopReason;
  /** It gave up all its lanes: the parent starts it again when it may. */
  readonly gaveUp?: true;
}
