import type { StartInput } from '../contracts/fields.ts';
import { runWorkflowId } from '../contracts/ids.ts';
import { parsePipelineInput } from '../contracts/input.schema.ts';
import { cutText } from '../contracts/json-value.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import { EXIT, UserError } from './user-error.ts';

const SUMMARY_BYTES = 200;

/** Parses a start's input as the workflow will; a UserError (exit 2) names every problem. */
export function requireStartInput(contract: PipelineContract, input: unknown) {
  const parsed = parsePipelineInput(contract, [input]);
  if (!parsed.ok) throw new UserError(parsed.problems.map(({ message }) => message).join('; '), EXIT.refused);
  return parsed.input;
}

/** How a start is called: workflow id, and what the Temporal UI shows of it. */
export function describeStart(contract: PipelineContract, input: StartInput) {
  const { dryRun } = requireStartInput(contract, input);
  const scope = contract.scopeField === null ? 'all' : String(input[contract.scopeField]);
  return {
    workflowId: runWorkflowId({ entity: contract.entity, scope, dryRun }),
    staticSummary: cutText(`${contract.entity} · ${scope}`, SUMMARY_BYTES),
    memo: { scope },
  };
}
