import pg from 'pg';
import type { TestServers } from './provided.ts';

/** Copies the migrated template; resolves to the URL of the copy. */
export async function cloneDatabase(servers: TestServers, name: string): Promise<string> {
  await asAdministrator(servers, `create database ${name} template ${servers.templateDatabase}`);
  const url = new URL(servers.postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Drops a database, ending its sessions. */
export async function dropDatabase(servers: TestServers, name: string): Promise<void> {
  await asAdministrator(servers, `drop database if exists ${name} with (force)`);
}

async function asAdministrator(servers: TestServers, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: servers.postgresUrl, connectionTimeoutMillis: 5_000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
