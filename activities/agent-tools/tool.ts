import type { Operation } from '../../packages/database/agent-operations.ts';
import type { Transaction } from '../../packages/database/database.ts';

/** One use of a tool, inside the transaction that keeps its result. */
export interface ToolUse {
  readonly tx: Transaction;
  readonly operation: Operation;
  readonly callId: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What a tool can do for an agent run. */
export interface AgentTool {
  readonly apiName: string;
  /** `read`: it changes nothing, and makes no receipt. */
  readonly kind: 'memory' | 'skill' | 'proposal' | 'read';
  /** For the model: what it does and which arguments it takes. */
  readonly description: string;
  run(use: ToolUse): Promise<Readonly<Record<string, unknown>>>;
}

const MOST_CHARACTERS = 16_000;

/** A text argument, cut to a bound; undefined where it is none or blank. */
export const textArgument = (args: ToolUse['args'], name: string): string | undefined => {
  const value = args[name];
  return typeof value === 'string' && value.trim() !== '' ? value.slice(0, MOST_CHARACTERS) : undefined;
};

/** The result of a call whose arguments do not do. */
export const failedUse = (summary: string) => ({ status: 'failed', summary: summary.slice(0, 240) });
