import { Readable } from 'node:stream';
import { parse } from 'csv-parse';
import type { Info } from 'csv-parse';
import { importError } from './import-error.ts';
import { decodeText, readLines } from './text-source.ts';
import type { ByteSource } from './text-source.ts';

/** One record of a file and the line it begins at; `fields` are the columns of CSV or the keys of a JSON object. */
export type SourceRecord = { readonly line: number; readonly fields: Readonly<Record<string, unknown>> };

/** Reads JSON Lines, one object each; blank lines are passed over. */
export async function* readJsonRecords(source: ByteSource, file: string): AsyncGenerator<SourceRecord> {
  for await (const { line, text } of readLines(decodeText(source, file), file)) {
    if (text.trim() !== '') yield { line, fields: parseObject(text, file, line) };
  }
}

function parseObject(text: string, file: string, line: number): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw importError({ file, line, field: '', expected: `one JSON object per line (${(cause as Error).message})` });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw importError({ file, line, field: '', expected: 'one JSON object per line' });
  }
  return value as Record<string, unknown>;
}

/** Reads CSV with a header line, RFC 4180 quoting with newlines inside quotes, LF or CRLF. */
export async function* readCsvRecords(source: ByteSource, file: string): AsyncGenerator<SourceRecord> {
  const input = Readable.from(decodeText(source, file));
  const parser = parse({
    bom: true,
    columns: (header: string[]) => checkHeader(header, file),
    info: true,
    skip_empty_lines: true,
    max_record_size: 16 * 1024 * 1024,
  });
  // A plain pipe would drop the reader's error; csv-parse must end with it.
  input.on('error', (error) => parser.destroy(error));
  // csv-parse counts CRLF inside quotes as two lines, and reports the line that a record ends at.
  let excess = 0;
  try {
    for await (const row of input.pipe(parser)) {
      const { info, record } = row as { info: Info; record: Record<string, string> };
      const text = Object.values(record).join(' ');
      excess += countOf(text, /\r\n/g);
      yield { line: info.lines - excess - countOf(text, /\r\n|\n|\r/g), fields: record };
    }
  } catch (error) {
    throw isCsvError(error) ? csvError(error, file, excess) : error;
  } finally {
    input.destroy();
  }
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

function checkHeader(header: readonly string[], file: string): string[] {
  const names = header.map((name) => name.trim());
  const seen = new Set<string>();
  for (const [index, name] of names.entries()) {
    const field = name === '' ? `column ${index + 1}` : name;
    if (name === '') throw importError({ file, line: 1, field, expected: 'a column name' });
    if (seen.has(name)) throw importError({ file, line: 1, field, expected: 'each column name once' });
    seen.add(name);
  }
  return names;
}

type CsvFault = { readonly code: string; readonly message: string; readonly lines?: number; readonly column?: unknown };

function isCsvError(error: unknown): error is CsvFault {
  return error instanceof Error && String((error as { code?: unknown }).code).startsWith('CSV_');
}

function csvError(error: CsvFault, file: string, excess: number): Error {
  const field = typeof error.column === 'string' ? error.column : '';
  return importError({ file, line: Math.max(1, (error.lines ?? 1) - excess), field, expected: `well-formed CSV (${error.message})` });
}
