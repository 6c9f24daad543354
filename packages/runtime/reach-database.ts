import pg from 'pg';
import { EXIT, UserError } from './user-error.ts';

/** Opens and closes one session; resolves to the server's version, or throws a UserError (exit 3) that names host and port, never the password. */
export async function reachDatabase(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 5_000, query_timeout: 5_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version ?? 'unknown';
  } catch (error) {
    const where = `${client.host}:${client.port}, database ${client.database}`;
    throw new UserError(
      `no Postgres answers at ${where} (${reasonOf(error)}): start a stack with \`strata up\`, or correct DATABASE_URL`,
      EXIT.unreachable,
      error,
    );
  } finally {
    await client.end().catch(() => undefined);
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: string; message?: string };
  return message === undefined || message === '' ? (code ?? 'no reason given') : message;
}
