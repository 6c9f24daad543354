import { drizzle } from './drizzle.ts';
import type { NodePgDatabase, NodePgTransaction } from 'drizzle-orm/node-postgres';
import { sql } from './drizzle.ts';
import type { ExtractTablesWithRelations, SQL } from 'drizzle-orm';
import type pg from 'pg';
import { ConnectFailed } from './errors.ts';
import * as schema from './schema/index.ts';

type Schema = typeof schema;

/** The one database handle of a process. */
export type Database = NodePgDatabase<Schema> & { readonly $client: pg.Pool };

/** Handle inside a transaction: inside it nothing else may be used. */
export type Transaction = NodePgTransaction<Schema, ExtractTablesWithRelations<Schema>>;

/** Either handle, for statements that do not care. */
export type Executor = Pick<Database, 'execute' | '_'>;

/** Rows of a raw statement, typed by the caller that wrote its columns. */
export const readRows = async <Row>(executor: Executor, statement: SQL): Promise<Row[]> => {
  const { rows } = await executor.execute(statement);
  return rows as Row[];
};

/** The single row of a statement that always answers one; throws when it does not. */
export const readRow = async <Row>(executor: Executor, statement: SQL): Promise<Row> => {
  const [row] = await readRows<Row>(executor, statement);
  if (row === undefined) throw new Error('the statement answered no row');
  return row;
};

/** SQL text of an instant as ISO text in UTC, to the microsecond. */
export const isoText = (instant: ReturnType<typeof sql>) => sql`to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The database's clock, ISO text. */
export const readNow = async (executor: Executor): Promise<string> =>
  (await readRow<{ now: string }>(executor, sql`select ${isoText(sql`now()`)} as now`)).now;

const handles = new WeakMap<pg.PoolClient, NodePgDatabase<Schema>>();

/** A handle over one connection of the pool; made once, since making it costs as much as a statement. */
const handleOf = (client: pg.PoolClient): NodePgDatabase<Schema> => {
  const handle = handles.get(client) ?? drizzle({ client, schema });
  handles.set(client, handle);
  return handle;
};

/**
 * Runs `work` in one transaction on its own handle. The client is taken and given back here, because the pool handle's own
 * `transaction` keeps it for ever when BEGIN fails, and reports a failed ROLLBACK in place of the error that led to it.
 */
export const inTransaction = async <T>(db: Database, work: (tx: Transaction) => Promise<T>): Promise<T> => {
  const client = await db.$client.connect().catch((cause: unknown) => {
    throw new ConnectFailed('no connection for a transaction', { cause });
  });
  let fault: { readonly error: unknown } | undefined;
  let isSound = false;
  const guarded = async (tx: Transaction): Promise<T> => {
    try {
      return await work(tx);
    } catch (error) {
      fault = { error };
      throw error;
    }
  };
  try {
    const result = await handleOf(client).transaction(guarded);
    isSound = true;
    return result;
  } catch (error) {
    isSound = fault?.error === error;
    throw fault === undefined ? error : fault.error;
  } finally {
    // After a failed BEGIN, COMMIT or ROLLBACK nobody knows what state the session is in.
    client.release(!isSound);
  }
};
