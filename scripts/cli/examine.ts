import { SEARCH_ATTRIBUTES } from '../../packages/contracts/search-attributes.ts';
import { STRATA_QUEUE } from '../../packages/contracts/queues.ts';
import { readMigrationStatus } from '../../packages/database/migration-status.ts';
import { findBinary, isAtLeast } from '../../packages/runtime/binaries.ts';
import { TEMPORAL_CLI } from '../../packages/runtime/binary-catalog.ts';
import { connectClient } from '../../packages/runtime/connect.ts';
import type { ConnectedClient } from '../../packages/runtime/connect.ts';
import { readDeployment } from '../../packages/runtime/deployment.ts';
import type { Env } from '../../packages/runtime/env.ts';
import { listPollers } from '../../packages/runtime/pollers.ts';
import { BINARY_CACHE } from '../../packages/runtime/paths.ts';
import { reachDatabase } from '../../packages/runtime/reach-database.ts';
import { findStackTarget } from '../../packages/runtime/stack-target.ts';
import type { StackTarget } from '../../packages/runtime/stack-target.ts';

const OLDEST_NODE = '22.18.0';

/** One part and how it is; `detail` says what to do where it is not well. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** Looks at each part in turn; a part that cannot be asked because another is missing is left out. */
export async function examine(env: Env, dataDir: string): Promise<readonly Check[]> {
  const checks = [
    await check('node', async () => requireNode(process.versions.node)),
    await check('temporal binary', async () => {
      const found = await findBinary({ entry: TEMPORAL_CLI, env, cacheDir: BINARY_CACHE });
      if (found === undefined) throw new Error('not fetched yet: run ./scripts/setup');
      return `${found.path} (${found.source})`;
    }),
  ];
  let target: StackTarget | undefined;
  checks.push(
    await check('stack', async () => {
      target = await findStackTarget(env, dataDir);
      return target.stack === undefined ? 'servers given by the environment' : `process ${target.stack.pid} on ${target.stack.dataDir}`;
    }),
  );
  return target === undefined ? checks : [...checks, ...(await examineServers(target))];
}

async function examineServers(target: StackTarget): Promise<readonly Check[]> {
  const checks = [
    await check('postgres', async () => `version ${await reachDatabase(target.databaseUrl)}`),
    await check('migrations', async () => {
      const { applied, known } = await readMigrationStatus(target.databaseUrl);
      if (applied < known) throw new Error(`${applied} of ${known} applied: start a worker, it applies the rest`);
      return `${applied} of ${known} applied`;
    }),
  ];
  let connected: ConnectedClient | undefined;
  checks.push(
    await check('temporal', async () => {
      connected = await connectClient(target.temporal);
      const { serverVersion } = await connected.client.workflowService.getSystemInfo({});
      return `server ${serverVersion} at ${target.temporal.address}, namespace ${target.temporal.namespace}`;
    }),
  );
  if (connected === undefined) return checks;
  try {
    return [...checks, ...(await examineNamespace(connected))];
  } finally {
    await connected.close();
  }
}

async function examineNamespace({ client, connection }: ConnectedClient): Promise<readonly Check[]> {
  const { namespace } = client.options;
  return [
    await check('search attributes', async () => {
      const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace });
      const missing = SEARCH_ATTRIBUTES.filter((name) => customAttributes[name] === undefined);
      if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}; \`strata up\` registers them`);
      return `${SEARCH_ATTRIBUTES.length} registered`;
    }),
    await check('workers', async () => {
      const pollers = await listPollers(client, STRATA_QUEUE);
      if (pollers.length === 0) throw new Error(`nobody polls queue ${STRATA_QUEUE}: start one with \`strata worker\``);
      return `${pollers.length} polling queue ${STRATA_QUEUE}`;
    }),
    await check('current version', async () => {
      const { currentBuildId } = await readDeployment(client);
      if (currentBuildId === undefined) throw new Error('none: start a worker with --set-current');
      return currentBuildId;
    }),
  ];
}

function requireNode(version: string): string {
  if (!isAtLeast(version, OLDEST_NODE)) throw new Error(`${version} is older than ${OLDEST_NODE}: start commands with ./scripts/strata`);
  return version;
}

async function check(name: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, detail: await look() };
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
  }
}
