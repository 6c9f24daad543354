import type { BenchContext } from './context.ts';
import type { RowName } from './row-names.ts';

/** Says why a row could not be measured, and ends whatever it left running; an interrupted benchmark is thrown on. */
export const explainFailure = async ({ stack, signal, say }: BenchContext, name: RowName, error: unknown): Promise<string> => {
  signal.throwIfAborted();
  const reason = error instanceof Error ? error.message : String(error);
  say(`${name} could not be measured: ${reason}`);
  for await (const { workflowId, runId } of stack.client.workflow.list({ query: 'ExecutionStatus = "Running"' }))
    await stack.client.workflow
      .getHandle(workflowId, runId)
      .terminate('the benchmark goes on without it')
      .catch(() => undefined);
  return reason;
};
