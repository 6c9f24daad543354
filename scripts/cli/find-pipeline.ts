import { findPipelineContract, pipelineContracts } from '../../packages/contracts/index.ts';
import type { PipelineContract } from '../../packages/contracts/pipeline.ts';
import { UserError } from '../../packages/runtime/user-error.ts';
import { suggestName } from './nearest.ts';

/** The pipeline of a kebab name or a workflow type; an unknown one is refused with the nearest known name. */
export function findPipeline(name: string): PipelineContract {
  const found = findPipelineContract(name);
  if (found === undefined)
    throw new UserError(
      `unknown pipeline "${name}": ${suggestName(
        name,
        pipelineContracts.map(({ entity }) => entity),
      )}`,
    );
  return found;
}
