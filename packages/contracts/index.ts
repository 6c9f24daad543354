import type { PipelineContract } from './pipeline.ts';
import * as contracts from './pipelines.ts';

/** Every pipeline of the base, sorted by type: what command line, workers and checks read. Its lines are in pipelines.ts. */
export const pipelineContracts: readonly PipelineContract[] = Object.values(contracts).toSorted((left, right) => (left.type < right.type ? -1 : 1));
