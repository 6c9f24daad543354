import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseScorer, SCORER_NAMES } from '../../packages/evals/assertions.ts';
import { detectFormat } from '../../packages/evals/import-cases.ts';
import type { Dataset, DatasetFormat } from '../../packages/evals/import-cases.ts';
import { parseColumnMap } from '../../packages/evals/mapping.ts';
import { UserError } from '../../packages/runtime/user-error.ts';
import { readArgumentFile } from './eval-target.ts';

/** What `eval import` may say of its file. */
export type DatasetArguments = {
  readonly file: string;
  readonly format: string | undefined;
  readonly map: string | undefined;
  readonly prompt: string | undefined;
  readonly scorer: string | undefined;
};

/** Opens a dataset and hears how many bytes were read; UserErrors name the option that is wrong. */
export async function openDataset(given: DatasetArguments, onBytes: (read: number, of: number) => void): Promise<Dataset> {
  const size = await requireFile(given.file);
  return {
    source: countBytes(createReadStream(given.file), (read) => onBytes(read, size)),
    file: basename(given.file),
    format: requireFormat(given),
    ...(given.map === undefined ? {} : { map: requireMap(given.map) }),
    ...(given.prompt === undefined ? {} : { prompt: readArgumentFile('--prompt', given.prompt).trimEnd() }),
    ...(given.scorer === undefined ? {} : { scorer: requireScorer(given.scorer) }),
  };
}

async function requireFile(file: string): Promise<number> {
  const found = await stat(file).catch((cause: Error) => {
    throw new UserError(`${file} cannot be read: ${cause.message}`);
  });
  if (!found.isFile()) throw new UserError(`${file} is not a file`);
  return found.size;
}

function requireFormat({ file, format }: DatasetArguments): DatasetFormat {
  const known = format ?? detectFormat(file);
  if (known === 'jsonl' || known === 'csv') return known;
  if (format === undefined) throw new UserError(`the format of ${file} is not clear from its name: give --format jsonl or --format csv`);
  throw new UserError(`--format must be jsonl or csv, not "${format}"`);
}

function requireMap(text: string) {
  const parsed = parseColumnMap(text);
  if ('problem' in parsed) throw new UserError(`--map ${text}: ${parsed.problem}`);
  return parsed.map;
}

function requireScorer(text: string) {
  const scorer = parseScorer(text);
  if (scorer === null)
    throw new UserError(`--scorer must be one of ${SCORER_NAMES.join(', ')}, numeric and similarity also with a number in brackets, not "${text}"`);
  return scorer;
}

async function* countBytes(source: AsyncIterable<Buffer>, onBytes: (read: number) => void): AsyncGenerator<Buffer> {
  let read = 0;
  for await (const chunk of source) {
    read += chunk.byteLength;
    onBytes(read);
    yield chunk;
  }
}
