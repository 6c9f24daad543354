import { deriveOwnerId } from '../../packages/agent-signal/scope-key.ts';
import { definedOnly } from '../../packages/runtime/env.ts';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { loadSignalConfig } from '../../packages/runtime/signal-config.ts';
import type { Sender, SignalDoorDeps } from '../../packages/runtime/signal-doors.ts';
import { findStack } from '../../packages/runtime/stack-target.ts';
import { stackArgs } from './pipeline-args.ts';
import { withPipelines } from './pipeline-session.ts';
import type { SessionArgs } from './pipeline-session.ts';

const DEFAULT_USER = 'local';
const WORKSPACE = 'ws:';

/** Arguments of every command about agent signal. */
export const signalArgs = {
  ...stackArgs,
  owner: { type: 'string', default: DEFAULT_USER, description: 'whose scopes: a user, or ws:<id> for a workspace', valueHint: 'owner' },
} as const;

/** What such a command works with. */
export interface SignalSession {
  readonly doors: SignalDoorDeps;
  readonly ownerId: string;
  /** The command line is a service: it may speak for anybody, and speaks for the owner where an event does not say. */
  readonly sender: Sender;
}

const senderOf = (owner: string): Sender => ({
  door: 'server',
  caller: owner.startsWith(WORKSPACE) ? { kind: 'service', workspaceId: owner.slice(WORKSPACE.length) } : { kind: 'service', userId: owner },
});

/** Finds the stack, connects, lets the command work and closes. */
export async function withSignals<T>(args: SessionArgs & { readonly owner: string }, work: (session: SignalSession) => Promise<T>): Promise<T> {
  const env = definedOnly(process.env);
  const stack = await findStack(resolveDataDir(args.data ?? env['STRATA_DATA_DIR']));
  // As the workers of an embedded stack have it.
  const { limits, isOnByDefault } = loadSignalConfig({ ...(stack === undefined ? {} : { STRATA_AGENT_SIGNAL: 'on' }), ...env });
  const sender = senderOf(args.owner);
  const { workspaceId, userId = DEFAULT_USER } = sender.caller;
  return withPipelines(args, ({ client, db, taskQueue }) =>
    work({ doors: { client, db, taskQueue, limits, isOnByDefault }, ownerId: deriveOwnerId({ workspaceId, userId }), sender }),
  );
}
