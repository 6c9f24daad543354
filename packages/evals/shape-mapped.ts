import type { EvalMessage, JsonValue } from '../contracts/eval-case.ts';
import type { Scorer } from './assertions.ts';
import { readField } from './mapping.ts';
import type { ColumnMap } from './mapping.ts';
import { buildAssertion, checkAssertions, readExpected, refuse } from './shape.ts';
import type { ShapeReader } from './shape.ts';

/** Reader of question/answer pairs whose columns or keys a map names; columns that the map does not name are kept as metadata. */
export function createMappedReader(map: ColumnMap, scorer: Scorer): ShapeReader {
  const own = new Set(Object.values(map).map((name) => name.split('.')[0]));
  return ({ fields }) => {
    const input = readField(fields, map.input);
    if (typeof input !== 'string' || input.trim() === '') return refuse(map.input, 'a text that is not blank', input ?? null);
    const values = readExpected(readField(fields, map.expected));
    if (values === null) return refuse(map.expected, 'a text, a number or a list of them', readField(fields, map.expected) ?? null);
    const assertions = [buildAssertion(scorer, values)];
    const problem = checkAssertions(map.expected, assertions);
    if (problem !== null) return { ok: false, problem };
    const named = readId(fields, map);
    if (named === null) return refuse(map.id ?? '', 'a text or number', readField(fields, map.id ?? '') ?? null);
    const metadata = { ...readRest(fields, own), ...readCategory(fields, map) };
    return { ok: true, case: { ...named, input: readMessages(fields, map, input), assertions, metadata } };
  };
}

function readId(fields: Readonly<Record<string, unknown>>, map: ColumnMap): { readonly id?: string } | null {
  if (map.id === undefined) return {};
  const id = readField(fields, map.id);
  return typeof id === 'string' || typeof id === 'number' ? { id: String(id) } : null;
}

function readMessages(fields: Readonly<Record<string, unknown>>, map: ColumnMap, input: string): EvalMessage[] {
  const system = map.system === undefined ? undefined : readField(fields, map.system);
  const user: EvalMessage = { role: 'user', content: input };
  return typeof system === 'string' && system.trim() !== '' ? [{ role: 'system', content: system }, user] : [user];
}

function readRest(fields: Readonly<Record<string, unknown>>, own: ReadonlySet<string | undefined>): Record<string, JsonValue> {
  return Object.fromEntries(Object.entries(fields).filter(([key]) => !own.has(key))) as Record<string, JsonValue>;
}

function readCategory(fields: Readonly<Record<string, unknown>>, map: ColumnMap): Record<string, JsonValue> {
  const category = map.category === undefined ? undefined : readField(fields, map.category);
  return category === undefined ? {} : { category: category as JsonValue };
}
