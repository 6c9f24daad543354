import { runChunk } from '../packages/durable/chunk.ts';

/** The chunk child of every pipeline. */
export const pipelineChunk = runChunk;
