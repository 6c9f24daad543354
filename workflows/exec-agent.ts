import { runExecAgent } from '../packages/durable/exec-agent.ts';

/** An agent run of our own: a bounded loop of model and tool activities. */
export const execAgent = runExecAgent;
