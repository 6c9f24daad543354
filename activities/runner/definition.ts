import type { FieldSpecs, PipelineInput } from '../../packages/contracts/fields.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import type { RunPlan } from '../../packages/contracts/run-plan.ts';
import type { RunOwner } from '../../packages/contracts/entry-activities.ts';
import type { ItemCounts } from '../../packages/contracts/counts.ts';
import type { Database, Transaction } from '../../packages/database/database.ts';
import type { RecordEvents } from '../../packages/observability/pipeline-events.ts';
import type { FlowDoor, RunFlow } from './flow-door.ts';
import type { PipelineMeter } from '../../packages/observability/pipeline-meter.ts';
import type { KeysetSource } from '../../packages/database/eligible.ts';

/** What the runner needs of its process. */
export interface RunnerDeps {
  readonly db: Database;
  /** Unique name of this worker process; claims carry it. */
  readonly identity: string;
  /** Counts what the pipelines of this process do. */
  readonly record: RecordEvents;
  /** Metrics of its items and runs. */
  readonly meter: PipelineMeter;
  /** True: each item is logged at DEBUG. Asked first, because an entry that its logger then drops costs more than all else about a fast item. */
  readonly logsItems?: boolean;
  /** Asks Temporal whether the workflow chain that owns a run is still open; unknown counts as closed. */
  readonly flow: FlowDoor;
  /** When a workflow chain closed, ms since then; null: it is open; Infinity: nobody knows it. */
  readonly msSinceClose: (owner: Pick<RunOwner, 'workflowId' | 'firstRunId'>) => Promise<number | null>;
  readonly isOwnerRunning: (owner: Pick<RunOwner, 'workflowId' | 'firstRunId'>) => Promise<boolean>;
}

export interface PreflightContext<F extends FieldSpecs> {
  readonly input: PipelineInput<F>;
  /** The scope has an active run; whether its owner still lives is decided later. */
  readonly hasUnfinishedRun: boolean;
}

/** Numbers of this run that differ from the contract's plan. */
export interface PreflightAnswer {
  readonly plan?: Partial<RunPlan>;
}

/** One item to execute: exactly one call of `executeItem` holds this claim. */
export interface ItemContext<F extends FieldSpecs> {
  readonly itemId: string;
  readonly input: PipelineInput<F>;
  /** Row ids (decimal text) of the run and of the item's ledger row. */
  readonly run: string;
  readonly itemRow: string;
  /** Fencing token of the claim: writes outside the done row's transaction are conditional on it. */
  readonly token: number;
  /** 1 for the first attempt of this run. */
  readonly attempt: number;
  readonly isLastAttempt: boolean;
  /** Same for every attempt of the item in its epoch: hand it to whoever charges for the call. */
  readonly idempotencyKey: string;
  /** Aborted when the item is to stop: its time is up, or its run was aborted. */
  readonly signal: AbortSignal;
}

/** How an item ended well. `write` runs in the transaction of the done row, only while the claim holds. */
export type ItemOutcome =
  | { readonly kind: 'done'; readonly result?: unknown; readonly write?: (tx: Transaction) => Promise<void> }
  | { readonly kind: 'skipped'; readonly reason: string };

export interface FinalizeContext<F extends FieldSpecs> {
  readonly input: PipelineInput<F>;
  readonly run: string;
  readonly outcome: string;
  readonly counts: ItemCounts;
  readonly tx: Transaction;
}

/** What a pipeline's author writes: the business of one pipeline, no Temporal. */
export interface PipelineDefinition<F extends FieldSpecs> {
  /** Checks preconditions; throws `refuse(message)`. Reads only. */
  preflight?(context: PreflightContext<F>): Promise<PreflightAnswer>;
  /** Limits and keys that follow from the input; pure. */
  flow?(input: PipelineInput<F>): RunFlow;
  /** The eligible rows; count and pages both use this one query. */
  eligible(input: PipelineInput<F>): KeysetSource;
  /** Runs in the transaction that opens the run. */
  markRunning?(tx: Transaction, input: PipelineInput<F>): Promise<void>;
  /** Does exactly one item; throws `itemFailure(…)` for a classified failure. */
  executeItem(context: ItemContext<F>): Promise<ItemOutcome>;
  /** Runs in the transaction that ends the run, however it ended. */
  finalize?(context: FinalizeContext<F>): Promise<void>;
}

export interface Runner<F extends FieldSpecs> {
  readonly contract: PipelineContract<F>;
  readonly definition: PipelineDefinition<F>;
  readonly deps: RunnerDeps;
}
