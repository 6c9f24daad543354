import { pgCore, Placeholder } from './drizzle.ts';
import type { SQL } from 'drizzle-orm';
import type { Executor } from './database.ts';

/** A statement that each session parses and plans once; its values are named by `sql.placeholder`. */
export interface PreparedStatement<Values extends Readonly<Record<string, unknown>>, Row> {
  rows(executor: Executor, values: Values): Promise<Row[]>;
}

/**
 * Prepares a statement of the hot path under a name that is unique in the process. Its plan is made once, perhaps while its tables are empty:
 * write it so that only an index can serve it.
 */
export const prepareStatement = <Values extends Readonly<Record<string, unknown>>, Row>(
  name: string,
  statement: SQL,
): PreparedStatement<Values, Row> => {
  const query = new pgCore.PgDialect().sqlToQuery(statement);
  const places = query.params.filter((param) => param instanceof Placeholder).length;
  if (places !== query.params.length) throw new Error(`${name} has a value in its text: name it by sql.placeholder`);
  return {
    rows: async (executor, values) => {
      const { rows } = (await executor._.session.prepareQuery(query, undefined, name, false).execute(values)) as { readonly rows: Row[] };
      return rows;
    },
  };
};
