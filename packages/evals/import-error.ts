/** What is wrong with one place of an imported file. */
export type ImportProblem = {
  readonly file: string;
  readonly line: number;
  readonly field: string;
  readonly expected: string;
};

const IMPORT_ERROR = 'ImportError';

/** An error that names file, line, field and what was expected; `problem` has the parts. */
export function importError(problem: ImportProblem): Error & { readonly problem: ImportProblem } {
  const where = problem.field === '' ? '' : ` field "${problem.field}":`;
  const error = new Error(`${problem.file}:${problem.line}:${where} expected ${problem.expected}`);
  error.name = IMPORT_ERROR;
  return Object.assign(error, { problem });
}

/** Tells an import error from a fault. */
export function isImportError(error: unknown): error is Error & { readonly problem: ImportProblem } {
  return error instanceof Error && error.name === IMPORT_ERROR && 'problem' in error;
}

const LONGEST_QUOTE = 60;

/** Quotes a found value for a message, cut to 60 characters. */
export function quoted(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
}
