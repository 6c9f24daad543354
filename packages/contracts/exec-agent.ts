import type { FlowKey } from './flow-limits.ts';

/** Workflow type of an agent run of our own. */
export const EXEC_AGENT_TYPE = 'execAgent';

/** Key that all agent runs share, and what it allows unless somebody says otherwise. */
export const EXEC_AGENT_FLOW: FlowKey = { key: 'agent-signal.exec-agent', limit: { parallelism: 10, ratePerSecond: 5 } };

/** Workflow id of an agent run. */
export const execAgentWorkflowId = (operationId: string): string => `exec-agent/${operationId}`;

/** Start input of an agent run: everything else is in its row. */
export interface ExecAgentStart {
  readonly operationId: string;
}

/** A tool call that the model decided on; its arguments stay in the row of the step. */
export interface ToolCall {
  readonly callId: string;
  readonly apiName: string;
}

/** Activities of an agent run, registered as `execAgent.<verb>`. */
export interface ExecAgentActivities {
  /** Marks the run as begun; `isOver`: it has ended already. `flow` null: its key is unlimited. */
  begin(request: ExecAgentStart): Promise<{ readonly isOver: boolean; readonly maxSteps: number; readonly flow: FlowKey | null }>;
  /** Asks the model for its next step, once per step. */
  think(request: ExecAgentStart & { readonly step: number }): Promise<{ readonly done: boolean; readonly calls: readonly ToolCall[] }>;
  useTool(request: ExecAgentStart & { readonly step: number; readonly callId: string }): Promise<void>;
  /** Ends the run and tells its scope, in one transaction. */
  finish(request: ExecAgentStart & { readonly steps: number; readonly reason: string }): Promise<void>;
  fail(request: ExecAgentStart & { readonly steps: number; readonly reason: string }): Promise<void>;
}
