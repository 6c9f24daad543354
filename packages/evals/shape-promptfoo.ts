import type { Assertion, JsonValue } from '../contracts/eval-case.ts';
import { EXPECTED_PREFIXES, parseExpected } from './expected.ts';
import { checkAssertions, refuse } from './shape.ts';
import type { FieldProblem, ShapeAnswer, ShapeReader } from './shape.ts';
import { parseTemplate } from './template.ts';
import type { PromptTemplate } from './template.ts';

const EXPECTED = /^__expected\d*$/;
const METADATA = /^__metadata:(.+)$/;
const OTHER_KNOWN = new Set(['__prefix', '__suffix', '__description']);

/** Is this a column of variables, not one of promptfoo's own? */
function isVariable(name: string): boolean {
  return !name.startsWith('__');
}

/**
 * Reader of promptfoo-style CSV: variable columns fill the prompt template, `__expected…` cells are assertions,
 * `__metadata:…` cells are kept. Without a template the only variable column is the prompt itself.
 */
export function createPromptfooReader(prompt: string | undefined): ShapeReader {
  const parsed = prompt === undefined ? undefined : parseTemplate(prompt);
  return ({ fields }): ShapeAnswer => {
    if (parsed !== undefined && 'unsupported' in parsed) {
      return refuse('--prompt', `only {{column}} places in the prompt template, found ${parsed.unsupported}`);
    }
    const names = Object.keys(fields);
    const wrong = findColumnProblem(names, parsed?.template);
    if (wrong !== null) return { ok: false, problem: wrong };
    const row = fields as Readonly<Record<string, string>>;
    const content = fillPrompt(row, parsed?.template);
    if (content.trim() === '') return refuse(names.find(isVariable) ?? '', 'a prompt that is not blank');
    const judged = readAssertions(row);
    if ('problem' in judged) return { ok: false, problem: judged.problem };
    const input = [{ role: 'user' as const, content }];
    return { ok: true, case: { input, assertions: judged.assertions, metadata: readMetadata(row) } };
  };
}

function findColumnProblem(names: readonly string[], template: PromptTemplate | undefined): FieldProblem | null {
  const strange = names.find((name) => !isVariable(name) && !EXPECTED.test(name) && !METADATA.test(name) && !OTHER_KNOWN.has(name));
  if (strange !== undefined) {
    return { field: strange, expected: '__expected, __expected1 …, __metadata:<name>, __prefix, __suffix or __description' };
  }
  if (template === undefined) {
    if (names.filter(isVariable).length === 1) return null;
    return { field: '--prompt', expected: 'a prompt template with {{column}} places, since there is not exactly one variable column' };
  }
  const missing = template.names.find((name) => !names.includes(name));
  return missing === undefined ? null : { field: missing, expected: `a column for the place {{${missing}}} of the prompt template` };
}

function fillPrompt(row: Readonly<Record<string, string>>, template: PromptTemplate | undefined): string {
  const only = Object.keys(row).find(isVariable) ?? '';
  const body = template === undefined ? (row[only] ?? '') : template.fill(row);
  return `${row['__prefix'] ?? ''}${body}${row['__suffix'] ?? ''}`;
}

function readAssertions(row: Readonly<Record<string, string>>): { readonly assertions: readonly Assertion[] } | { readonly problem: FieldProblem } {
  const assertions: Assertion[] = [];
  for (const [field, cell] of Object.entries(row)) {
    if (!EXPECTED.test(field) || cell.trim() === '') continue;
    const parsed = parseExpected(cell);
    if (!parsed.ok) return { problem: { field, expected: unknownPrefix(parsed.prefix) } };
    const problem = checkAssertions(field, [parsed.assertion]);
    if (problem !== null) return { problem };
    assertions.push(parsed.assertion);
  }
  return { assertions };
}

function unknownPrefix(prefix: string): string {
  return `a known assertion prefix (${EXPECTED_PREFIXES.join(', ')}, each also as not-…), found "${prefix}"; for a text that begins so write equals:…`;
}

function readMetadata(row: Readonly<Record<string, string>>): Record<string, JsonValue> {
  const metadata: Record<string, JsonValue> = {};
  for (const [field, cell] of Object.entries(row)) {
    const name = METADATA.exec(field)?.[1];
    if (field === '__description' && cell !== '') metadata['description'] = cell;
    else if (name?.endsWith('[]')) metadata[name.slice(0, -2)] = cell.split(',').map((item) => item.trim());
    else if (name !== undefined) metadata[name] = cell;
    else if (isVariable(field)) metadata[`var:${field}`] = cell;
  }
  return metadata;
}
