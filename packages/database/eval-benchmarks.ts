import { sql } from './drizzle.ts';
import type { ImportedCase } from '../contracts/eval-case.ts';
import { inTransaction, readRow, readRows } from './database.ts';
import type { Database, Executor, Transaction } from './database.ts';

const BATCH = 1_000;

/** What to do with a benchmark that is already there: refuse, add behind its cases, or put the new cases in their place. */
export type ImportMode = 'create' | 'append' | 'replace';

export type ImportRequest = {
  readonly name: string;
  readonly mode: ImportMode;
  readonly cases: AsyncIterable<{ readonly line: number; readonly case: ImportedCase }>;
  /** Hears the number of cases written so far. */
  readonly onProgress?: (written: number) => void;
};

/** A refused import says why; `duplicate` names the id and the line it stands at. */
export type ImportAnswer =
  | { readonly kind: 'imported'; readonly imported: number; readonly total: number }
  | { readonly kind: 'exists' }
  | { readonly kind: 'missing' }
  | { readonly kind: 'inUse'; readonly runs: number }
  | { readonly kind: 'duplicate'; readonly caseId: string; readonly line: number };

/** Imports all cases or none, in batches of constant size; whatever the source throws rolls everything back. */
export async function importBenchmark(db: Database, request: ImportRequest): Promise<ImportAnswer> {
  const refusal: { answer?: ImportAnswer } = {};
  try {
    return await inTransaction(db, async (tx) => {
      const answer = await importInto(tx, request);
      if (answer.kind !== 'imported') {
        refusal.answer = answer;
        throw new Error('refused'); // the only way to roll a transaction back
      }
      return answer;
    });
  } catch (error) {
    if (refusal.answer !== undefined) return refusal.answer;
    throw error;
  }
}

async function importInto(tx: Transaction, request: ImportRequest): Promise<ImportAnswer> {
  const opened = await openBenchmark(tx, request);
  if ('kind' in opened) return opened;
  let seq = opened.lastSeq;
  for await (const batch of inBatches(request.cases)) {
    const duplicate = await insertBatch(tx, { benchmark: opened.id, firstSeq: seq + 1, batch });
    if (duplicate !== null) return duplicate;
    seq += batch.length;
    request.onProgress?.(seq - opened.lastSeq);
  }
  await tx.execute(sql`update eval_benchmarks set last_seq = ${seq}, updated_at = now() where id = ${opened.id}`);
  return { kind: 'imported', imported: seq - opened.lastSeq, total: seq };
}

type Opened = { readonly id: string; readonly lastSeq: number };

/** Takes the benchmark for this transaction alone: imports of one name take turns, and no run begins in between. */
async function openBenchmark(tx: Transaction, { name, mode }: ImportRequest): Promise<Opened | ImportAnswer> {
  const [created] = await readRows<{ id: string }>(
    tx,
    sql`insert into eval_benchmarks (name) values (${name}) on conflict (name) do nothing returning id::text`,
  );
  if (created !== undefined) return mode === 'append' ? { kind: 'missing' } : { id: created.id, lastSeq: 0 };
  if (mode === 'create') return { kind: 'exists' };
  const found = await readRow<{ id: string; last_seq: number }>(
    tx,
    sql`select id::text, last_seq from eval_benchmarks where name = ${name} for update`,
  );
  if (mode === 'append') return { id: found.id, lastSeq: found.last_seq };
  const { runs } = await readRow<{ runs: number }>(tx, sql`select count(*)::int as runs from eval_runs where benchmark_id = ${found.id}`);
  if (runs > 0) return { kind: 'inUse', runs };
  await tx.execute(sql`delete from eval_cases where benchmark_id = ${found.id}`);
  return { id: found.id, lastSeq: 0 };
}

type Batch = readonly { readonly line: number; readonly case: ImportedCase }[];

async function* inBatches(cases: ImportRequest['cases']): AsyncGenerator<Batch> {
  let batch: { readonly line: number; readonly case: ImportedCase }[] = [];
  for await (const one of cases) {
    batch.push(one);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** Arrays as parameters: five per statement, however many rows. */
async function insertBatch(
  executor: Executor,
  { benchmark, firstSeq, batch }: { readonly benchmark: string; readonly firstSeq: number; readonly batch: Batch },
): Promise<ImportAnswer | null> {
  const ids = batch.map((one, index) => one.case.id ?? `case-${firstSeq + index}`);
  const column = (read: (imported: ImportedCase) => unknown) => sql.param(batch.map((one) => JSON.stringify(read(one.case))));
  const written = await readRows<{ seq: number }>(
    executor,
    sql`insert into eval_cases (benchmark_id, seq, case_id, input, assertions, metadata)
        select ${benchmark}::bigint, ${firstSeq}::int + g.place::int - 1, g.case_id, g.input::jsonb, g.assertions::jsonb, g.metadata::jsonb
        from unnest(${sql.param(ids)}::text[], ${column((one) => one.input)}::text[], ${column((one) => one.assertions)}::text[],
          ${column((one) => one.metadata)}::text[]) with ordinality as g(case_id, input, assertions, metadata, place)
        order by g.place
        on conflict (benchmark_id, case_id) do nothing returning seq`,
  );
  if (written.length === batch.length) return null;
  const seqs = new Set(written.map(({ seq }) => seq));
  const place = batch.findIndex((_, index) => !seqs.has(firstSeq + index));
  return { kind: 'duplicate', caseId: ids[place] ?? '', line: batch[place]?.line ?? 0 };
}

/** A benchmark as lists show it. */
export type BenchmarkRow = {
  readonly name: string;
  readonly cases: number;
  readonly runs: number;
  readonly updatedAt: string;
};

/** All benchmarks by name. */
export function listBenchmarks(executor: Executor): Promise<BenchmarkRow[]> {
  return readRows<BenchmarkRow>(
    executor,
    sql`select b.name, b.last_seq as cases, (select count(*)::int from eval_runs r where r.benchmark_id = b.id) as runs,
          to_char(b.updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "updatedAt"
        from eval_benchmarks b order by b.name`,
  );
}

/** Does any case of the benchmark need an LLM judge? Null when there is no such benchmark. */
export async function findJudgeNeed(executor: Executor, name: string): Promise<boolean | null> {
  const [row] = await readRows<{ needed: boolean }>(
    executor,
    sql`select exists (select 1 from eval_cases c where c.benchmark_id = b.id and c.assertions @> '[{"type":"llm-rubric"}]') as needed
        from eval_benchmarks b where b.name = ${name}`,
  );
  return row?.needed ?? null;
}
