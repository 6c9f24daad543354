import { importedCaseSchema } from '../contracts/eval.schema.ts';
import type { ImportedCase } from '../contracts/eval-case.ts';
import type { Scorer } from './assertions.ts';
import { importError } from './import-error.ts';
import type { ColumnMap } from './mapping.ts';
import { readCsvRecords, readJsonRecords } from './records.ts';
import type { SourceRecord } from './records.ts';
import { createMappedReader } from './shape-mapped.ts';
import { createOpenAiReader } from './shape-openai.ts';
import { createPromptfooReader } from './shape-promptfoo.ts';
import type { ShapeReader } from './shape.ts';
import type { ByteSource } from './text-source.ts';

export type DatasetFormat = 'jsonl' | 'csv';

/** A dataset to read: its bytes, the name for messages, its format, and how its shape is to be understood. */
export type Dataset = {
  readonly source: ByteSource;
  readonly file: string;
  readonly format: DatasetFormat;
  readonly map?: ColumnMap;
  readonly prompt?: string;
  readonly scorer?: Scorer;
};

/** In JSON text: an escaped NUL, or an escaped surrogate, which JSON.stringify writes only for a half pair. Postgres takes neither. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

/** One case and the line that its record begins at. */
export type CaseAtLine = { readonly line: number; readonly case: ImportedCase };

/**
 * Reads a dataset case by case in constant memory. Throws an import error at the first thing that is wrong, also when
 * the file has no case at all; whoever stores the cases must do it in one transaction.
 */
export async function* importCases(dataset: Dataset): AsyncGenerator<CaseAtLine> {
  const { file } = dataset;
  const read = chooseReader(dataset);
  let count = 0;
  for await (const record of readRecords(dataset)) {
    const answer = read(record);
    if (!answer.ok) throw importError({ file, line: record.line, ...answer.problem });
    yield { line: record.line, case: checkCase(answer.case, file, record.line) };
    count++;
  }
  if (count === 0) throw importError({ file, line: 1, field: '', expected: 'at least one case' });
}

function readRecords({ source, file, format }: Dataset): AsyncGenerator<SourceRecord> {
  return format === 'jsonl' ? readJsonRecords(source, file) : readCsvRecords(source, file);
}

function chooseReader({ map, format, prompt, scorer = { type: 'equals' } }: Dataset): ShapeReader {
  if (map !== undefined) return createMappedReader(map, scorer);
  return format === 'jsonl' ? createOpenAiReader(scorer) : createPromptfooReader(prompt);
}

/** The last gate, whichever shape: what the database cannot keep is refused here, with its line. */
function checkCase(imported: ImportedCase, file: string, line: number): ImportedCase {
  const parsed = importedCaseSchema.safeParse(imported);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw importError({ file, line, field: issue?.path.join('.') ?? '', expected: issue?.message ?? 'a case' });
  }
  if (UNSTORABLE.test(JSON.stringify(parsed.data))) {
    throw importError({ file, line, field: '', expected: 'text without NUL characters and halves of surrogate pairs' });
  }
  return parsed.data;
}

/** The format that a file's name tells, or null. */
export function detectFormat(file: string): DatasetFormat | null {
  if (/\.(jsonl|ndjson)$/i.test(file)) return 'jsonl';
  return /\.csv$/i.test(file) ? 'csv' : null;
}
