import { parse } from 'csv-parse/sync';
import type { Assertion, AssertionType } from '../contracts/eval-case.ts';

const PREFIXES = [
  'contains-any',
  'contains-all',
  'contains',
  'icontains',
  'equals',
  'starts-with',
  'regex',
  'is-json',
  'levenshtein',
  'llm-rubric',
] as const satisfies readonly AssertionType[];

const KNOWN = new RegExp(`^(not-)?(${PREFIXES.join('|')})(?:\\((\\d+(?:\\.\\d+)?)\\))?(?::([\\s\\S]*))?$`);
/** Looks like a prefix: a lower-case word, perhaps with an argument, before a colon that no space precedes. */
const WORD_AND_COLON = /^([a-z][a-z0-9_-]*(?:\([^()]*\))?):/;
const KNOWN_WORD = new RegExp(`^((?:not-)?(?:${PREFIXES.join('|')})(?:\\([^()]*\\))?)\\s*:`, 'i');
/** promptfoo's other assertions that stand without a colon; as plain text each would be judged as something else. */
const OTHER_BARE =
  /^(?:not-)?(?:(?:is|contains)-[a-z0-9-]+|cost|latency|perplexity|perplexity-score|guardrails|moderation|select-best|max-score)(?:\([^()]*\))?$/;

/** An assertion, or the prefix that is not known. */
export type ParsedExpected = { readonly ok: true; readonly assertion: Assertion } | { readonly ok: false; readonly prefix: string };

/** Reads a promptfoo `__expected` cell: a known prefix, else equality; any other prefix is handed back by name, never judged. */
export function parseExpected(cell: string): ParsedExpected {
  const known = KNOWN.exec(cell.trim());
  if (known?.[2] !== undefined && isComplete(known)) return { ok: true, assertion: readKnown(known) };
  const strange = WORD_AND_COLON.exec(cell.trim()) ?? KNOWN_WORD.exec(cell.trim());
  if (strange?.[1] !== undefined) return { ok: false, prefix: strange[1] };
  if (OTHER_BARE.test(cell.trim())) return { ok: false, prefix: cell.trim() };
  return { ok: true, assertion: { type: 'equals', values: [cell.trim()] } };
}

/** A bare word such as `contains` or `regex` is an answer, not an assertion, unless the assertion needs no value. */
function isComplete(match: RegExpExecArray): boolean {
  return match[4] !== undefined || match[2] === 'is-json' || match[3] !== undefined || match[1] !== undefined;
}

function readKnown(match: RegExpExecArray): Assertion {
  const type = match[2] as (typeof PREFIXES)[number];
  const value = (match[4] ?? '').trim();
  return {
    type,
    values: readValues(type, value),
    ...(match[3] === undefined ? {} : { threshold: Number(match[3]) }),
    ...(match[1] === undefined ? {} : { negate: true }),
  };
}

function readValues(type: AssertionType, value: string): readonly string[] {
  if (type !== 'contains-any' && type !== 'contains-all') return value === '' ? [] : [value];
  return splitList(value).filter((item) => item !== '');
}

/** Commas separate, quotes keep a comma inside; a quote that never closes is a plain character. */
function splitList(value: string): readonly string[] {
  try {
    return parse(value, { trim: true, relax_quotes: true, relax_column_count: true }).flat();
  } catch {
    return value.split(',').map((item) => item.trim());
  }
}

/** The known prefixes, for messages. */
export const EXPECTED_PREFIXES: readonly string[] = PREFIXES;
