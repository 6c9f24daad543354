import type { PipelineContract } from './pipeline.ts';
import * as contracts from './pipelines.ts';

/** Every pipeline of the base, sorted by type: what command line, workers and checks read. Its lines are in pipelines.ts. */
export const pipelineContracts: readonly PipelineContract[] = Object.values(contracts).toSorted((left, right) => (left.type < right.type ? -1 : 1));

/** The pipeline of a kebab name or a workflow type; undefined: there is none. */
export const findPipelineContract = (name: string): PipelineContract | undefined =>
  pipelineContracts.find(({ entity, type }) => entity === name || type === name);
