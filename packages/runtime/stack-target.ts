import { loadTemporalTarget } from './connect.ts';
import type { TemporalTarget } from './connect.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { isProgram } from './process-identity.ts';
import { STACK_PROGRAM } from './stack-claim.ts';
import { readStackFile } from './stack-file.ts';
import type { StackFile } from './stack-file.ts';
import { EXIT, UserError } from './user-error.ts';

/** Where commands find the parts: `stack` is set where an embedded stack supplies at least one of them. */
export interface StackTarget {
  readonly temporal: TemporalTarget;
  readonly databaseUrl: string;
  readonly uiUrl: string | null;
  readonly stack: StackFile | undefined;
}

/** True if the environment names a Temporal server, by address, profile or file. */
export function isTemporalGiven(env: Env): boolean {
  const given = definedOnly(env);
  return ['TEMPORAL_ADDRESS', 'TEMPORAL_PROFILE', 'TEMPORAL_CONFIG_FILE'].some((name) => given[name] !== undefined);
}

/** The target of an embedded server: nothing of the user's own profiles applies to it. */
export function embeddedTarget(address: string, namespace = 'default'): TemporalTarget {
  return { address, namespace, connectionOptions: { address } };
}

/** The living stack of a data folder. */
export async function findStack(dataDir: string): Promise<StackFile | undefined> {
  const stack = await readStackFile(dataDir);
  return stack !== undefined && isProgram(stack.pid, [STACK_PROGRAM]) ? stack : undefined;
}

/** Finds Temporal and Postgres: what the environment gives wins, the rest comes from the stack that runs on the data folder. A UserError (exit 3) where a part is nowhere. */
export async function findStackTarget(env: Env, dataDir: string): Promise<StackTarget> {
  const stack = await findStack(dataDir);
  const databaseUrl = definedOnly(env)['DATABASE_URL'] ?? stack?.databaseUrl;
  const temporal = isTemporalGiven(env) ? loadTemporalTarget(env) : stack && embeddedTarget(stack.temporalAddress, stack.namespace);
  if (databaseUrl === undefined || temporal === undefined) {
    throw new UserError(`no stack runs on ${dataDir}: start one with \`strata up\`, or set TEMPORAL_ADDRESS and DATABASE_URL`, EXIT.unreachable);
  }
  return { temporal, databaseUrl, uiUrl: isTemporalGiven(env) ? null : (stack?.uiUrl ?? null), stack };
}
