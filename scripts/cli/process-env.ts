import { definedOnly } from '../../packages/runtime/env.ts';
import type { Env } from '../../packages/runtime/env.ts';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { findStack, isTemporalGiven } from '../../packages/runtime/stack-target.ts';

/** Environment of a process of Strata's own: what is given wins, the rest comes from the stack that runs on the data folder. */
export async function processEnv(data: string | undefined): Promise<Env> {
  const given = definedOnly(process.env);
  const stack = await findStack(resolveDataDir(data ?? given['STRATA_DATA_DIR']));
  return {
    ...(stack && { DATABASE_URL: stack.databaseUrl, STRATA_AGENT_SIGNAL: 'on' }),
    ...(stack && !isTemporalGiven(given) && { TEMPORAL_ADDRESS: stack.temporalAddress, TEMPORAL_CONFIG_FILE: `${stack.dataDir}/temporal.toml` }),
    ...given,
    ...(data && { STRATA_DATA_DIR: data }),
  };
}
