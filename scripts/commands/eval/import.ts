import { defineCommand } from 'citty';
import { SingleBar } from 'cli-progress';
import { importBenchmark } from '../../../packages/database/eval-benchmarks.ts';
import type { ImportAnswer, ImportMode } from '../../../packages/database/eval-benchmarks.ts';
import { importCases } from '../../../packages/evals/import-cases.ts';
import { isImportError } from '../../../packages/evals/import-error.ts';
import { EXIT, UserError } from '../../../packages/runtime/user-error.ts';
import { commonArgs, dataArgs } from '../../cli/common-args.ts';
import { openDataset } from '../../cli/eval-dataset.ts';
import { withDatabase } from '../../cli/open-database.ts';
import { createOutput } from '../../cli/output.ts';
import type { Output } from '../../cli/output.ts';

/** `strata eval import`: all cases of a file or none. */
export const evalImportCommand = defineCommand({
  meta: { name: 'import', description: 'read a JSONL or CSV file of test cases into a benchmark' },
  args: {
    ...commonArgs,
    ...dataArgs,
    file: {
      type: 'positional',
      required: true,
      description: 'JSONL: messages and ideal, pairs with --map; CSV: pairs with --map, or promptfoo columns',
    },
    benchmark: { type: 'string', required: true, description: 'name of the benchmark', valueHint: 'name' },
    map: {
      type: 'string',
      description: 'columns or keys of pairs, such as input=question,expected=answer (also id, system, category)',
      valueHint: 'map',
    },
    prompt: { type: 'string', description: 'prompt template of a promptfoo CSV with {{column}} places', valueHint: 'text|@file' },
    scorer: { type: 'string', description: 'exact, includes, regex, numeric(0.01), json, similarity(0.8) or judge', valueHint: 'scorer' },
    format: { type: 'string', description: 'jsonl or csv, where the name of the file does not tell', valueHint: 'format' },
    append: { type: 'boolean', description: 'add the cases behind those of an existing benchmark' },
    replace: { type: 'boolean', description: 'put the cases in place of those of a benchmark that has no runs' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const name = args.benchmark.trim();
    if (name === '') throw new UserError('--benchmark must not be blank');
    const mode = requireMode(args);
    const bar = createBar(output);
    const { file, format, map, prompt, scorer } = args;
    const dataset = await openDataset({ file, format, map, prompt, scorer }, bar.show);
    const answer = await withDatabase(args.data, (db) => importBenchmark(db, { name, mode, cases: importCases(dataset) }))
      .catch((error: unknown) => {
        throw isImportError(error) ? new UserError(`${error.message}; nothing was imported`, EXIT.refused, error) : error;
      })
      .finally(bar.stop);
    const { imported, total } = requireImported(answer, { name, file: dataset.file });
    output.document(
      { benchmark: name, imported, total },
      () => `imported ${imported} cases into ${name}${total === imported ? '' : `, which has ${total} now`}`,
    );
  },
});

function requireMode({ append, replace }: { readonly append?: boolean | undefined; readonly replace?: boolean | undefined }): ImportMode {
  if (append === true && replace === true) throw new UserError('give --append or --replace, not both');
  return append === true ? 'append' : replace === true ? 'replace' : 'create';
}

function requireImported(answer: ImportAnswer, { name, file }: { readonly name: string; readonly file: string }) {
  switch (answer.kind) {
    case 'imported':
      return answer;
    case 'exists':
      throw new UserError(`benchmark ${name} is there already: add to it with --append, or put these cases in its place with --replace`);
    case 'missing':
      throw new UserError(`there is no benchmark ${name} to append to: leave --append out to create it`, EXIT.unreachable);
    case 'inUse':
      throw new UserError(`benchmark ${name} has ${answer.runs} runs that need its cases: import under another name`);
    case 'duplicate':
      throw new UserError(
        `${file}:${answer.line}: field "id": expected an id that is unique in ${name}, found "${answer.caseId}" again; nothing was imported`,
      );
    default:
      return answer satisfies never;
  }
}

/** A bar over the bytes read, for people who watch. */
function createBar({ isTerminal }: Output) {
  const bar = new SingleBar({ format: 'importing {bar} {percentage}%', stream: process.stderr, hideCursor: true, clearOnComplete: true });
  let isShown = false;
  const show = (read: number, of: number): void => {
    if (!isTerminal) return;
    if (!isShown) bar.start(of, read);
    isShown = true;
    bar.update(read);
  };
  return { show, stop: () => bar.stop() };
}
