import { runScope } from '../packages/durable/signal-scope.ts';

/** The line of work of one owner and scope key: source events become signals, then actions, in order and exactly once. */
export const agentSignalScope = runScope;
