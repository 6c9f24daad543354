import { inTransaction, readRow, readRows } from './database.ts';
import type { Database } from './database.ts';
import { sql } from './drizzle.ts';

/** One fact that counts towards a reflection, under a counter of a subject. */
export interface CountedFact {
  readonly ownerId: string;
  readonly subject: string;
  readonly counter: string;
  readonly sourceId: string;
  /** The sender's clock, ms; null or unreadable: the database's. */
  readonly atMs: number | null;
}

/** What a counter has reached. */
export interface Counted {
  readonly count: number;
  /** First and last counted instant, ISO with ms. */
  readonly windowStart: string;
  readonly windowEnd: string;
}

const iso = (column: ReturnType<typeof sql>) => sql`to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Counts a fact of the last seven days, one at a time per subject, so that each count is reached exactly once; null: the fact was counted before. */
export const countFact = (db: Database, { ownerId, subject, counter, sourceId, atMs }: CountedFact): Promise<Counted | null> =>
  inTransaction(db, async (tx) => {
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`${ownerId}\n${subject}`}, 0))`);
    const inserted = await tx.execute(sql`
      insert into signal_counts (owner_id, subject, counter, source_id, at)
      values (${ownerId}, ${subject}, ${counter}, ${sourceId}, coalesce(to_timestamp(${atMs}::float8 / 1000), now())) on conflict do nothing`);
    if (inserted.rowCount === 0) return null;
    return readRow<Counted>(
      tx,
      sql`select count(*)::int as count, ${iso(sql`min(at)`)} as "windowStart", ${iso(sql`max(at)`)} as "windowEnd" from signal_counts
          where owner_id = ${ownerId} and subject = ${subject} and counter = ${counter}`,
    );
  });

/** Takes the one reflection that a reason may ask for in a subject in seven days; false: it was asked for. */
export const takeReflection = async (
  db: Database,
  { ownerId, subject, reason }: { readonly ownerId: string; readonly subject: string; readonly reason: string },
): Promise<boolean> =>
  (
    await readRows(
      db,
      sql`insert into signal_reflections as r (owner_id, subject, reason) values (${ownerId}, ${subject}, ${reason})
          on conflict (owner_id, subject, reason) do update set requested_at = now() where r.requested_at < now() - interval '7 days' returning 1`,
    )
  ).length > 0;

/** Gives a reflection back that could not be asked for. */
export const releaseReflection = async (
  db: Database,
  { ownerId, subject, reason }: { readonly ownerId: string; readonly subject: string; readonly reason: string },
): Promise<void> => {
  await db.execute(sql`delete from signal_reflections where owner_id = ${ownerId} and subject = ${subject} and reason = ${reason}`);
};
