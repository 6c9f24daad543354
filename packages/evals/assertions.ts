import { RE2JS } from 're2js';
import type { Assertion, AssertionType } from '../contracts/eval-case.ts';
import { parseNumber } from './numbers.ts';

/** Compiles a pattern written for JavaScript with RE2, whose matching time is linear; throws where RE2 cannot (look-around, back-references). */
export function compilePattern(pattern: string): RE2JS {
  return RE2JS.compile(RE2JS.translateRegExp(pattern));
}

/** What an assertion should have been, or null if it can be judged. */
export function findAssertionProblem(assertion: Assertion): string | null {
  if (assertion.type === 'is-json') {
    return assertion.values.length > 0 ? 'is-json without a value (JSON schemas are not supported)' : null;
  }
  if (assertion.values.length === 0) return `a value for ${assertion.type}`;
  if (assertion.threshold !== undefined && !isThreshold(assertion.type, assertion.threshold)) {
    return isGraded(assertion.type) ? `a threshold from 0 to 1 for ${assertion.type}` : `${assertion.type} without a threshold`;
  }
  return assertion.values.map((value) => findValueProblem(assertion.type, value)).find((found) => found !== null) ?? null;
}

function isThreshold(type: AssertionType, threshold: number): boolean {
  return isGraded(type) ? threshold <= 1 : type === 'levenshtein' || type === 'numeric';
}

function isGraded(type: AssertionType): boolean {
  return type === 'similarity' || type === 'llm-rubric';
}

function findValueProblem(type: AssertionType, value: string): string | null {
  if (value.trim() === '') return `a value that is not blank for ${type}`;
  if (type === 'regex') return problemOf(() => compilePattern(value), 'a regular expression of RE2 syntax');
  if (type === 'json-equals') return problemOf(() => JSON.parse(value) as unknown, 'JSON text');
  if (type === 'numeric' && parseNumber(value) === null) return 'a number';
  return null;
}

function problemOf(attempt: () => unknown, expected: string): string | null {
  try {
    attempt();
    return null;
  } catch (cause) {
    return `${expected} (${(cause as Error).message})`;
  }
}

const SCORERS: Readonly<Record<string, AssertionType>> = {
  exact: 'equals',
  includes: 'contains',
  regex: 'regex',
  numeric: 'numeric',
  json: 'json-equals',
  similarity: 'similarity',
  judge: 'llm-rubric',
};

/** How the expected answers of a dataset without assertions are judged. */
export type Scorer = { readonly type: AssertionType; readonly threshold?: number };

/** Reads `exact`, `includes`, `regex`, `numeric(0.01)`, `json`, `similarity(0.8)` or `judge`; null if it is none of them. */
export function parseScorer(text: string): Scorer | null {
  const match = /^([a-z]+)(?:\((\d+(?:\.\d+)?)\))?$/.exec(text.trim());
  const type = match?.[1] === undefined ? undefined : SCORERS[match[1]];
  if (type === undefined) return null;
  return match?.[2] === undefined ? { type } : { type, threshold: Number(match[2]) };
}

/** The words that `parseScorer` knows. */
export const SCORER_NAMES = Object.keys(SCORERS);
