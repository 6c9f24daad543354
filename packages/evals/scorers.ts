import type { Assertion } from '../contracts/eval-case.ts';
import type { Grade } from '../contracts/trajectory.ts';
import { compilePattern } from './assertions.ts';
import { compareDistance, computeSimilarity } from './edit-distance.ts';
import { quoted } from './import-error.ts';
import { isJsonEqual, parseJsonAnswer } from './json-equality.ts';
import { findStatedNumber, parseNumber } from './numbers.ts';

/** What one scorer says of one value: 0 is wrong, 1 is right. */
type Score = { readonly score: number; readonly reason: string };

type Rule = (output: string, value: string, threshold: number | undefined) => Score;

const DEFAULT_DISTANCE = 5;

const verdict = (isRight: boolean, right: string, wrong: string): Score => (isRight ? { score: 1, reason: right } : { score: 0, reason: wrong });

const contains = (text: string, value: string, how = 'contains'): Score =>
  verdict(text.includes(value), `${how} ${quoted(value)}`, `lacks ${quoted(value)}`);

const RULES: Readonly<Partial<Record<Assertion['type'], Rule>>> = {
  equals: (output, value) =>
    verdict(output.trim() === value.trim(), `equals ${quoted(value)}`, `expected ${quoted(value)}, got ${quoted(output.trim())}`),
  contains: (output, value) => contains(output, value),
  'contains-any': (output, value) => contains(output, value),
  'contains-all': (output, value) => contains(output, value),
  icontains: (output, value) => contains(output.toLowerCase(), value.toLowerCase(), 'contains, case aside,'),
  'starts-with': (output, value) =>
    verdict(output.trimStart().startsWith(value), `starts with ${quoted(value)}`, `does not start with ${quoted(value)}`),
  regex: (output, value) => verdict(compilePattern(value).matcher(output).find(), `matches ${quoted(value)}`, `does not match ${quoted(value)}`),
  levenshtein: (output, value, threshold = DEFAULT_DISTANCE) => compareDistance(output.trim(), value, threshold),
  similarity: (output, value) => computeSimilarity(output.trim(), value.trim()),
  numeric: scoreNumber,
  'json-equals': scoreJson,
};

/**
 * Judges an output by one assertion that needs no model: pure and total, never throws, linear or bounded in time.
 * `llm-rubric` is not for here and scores 0 saying so.
 */
export function scoreAssertion(assertion: Assertion, output: string): Grade {
  const { score, reason } = applyNegation(assertion, scoreSafely(assertion, output));
  return { type: assertion.negate === true ? `not-${assertion.type}` : assertion.type, score, reason };
}

/** Turns a graded score into pass or fail where the assertion has a least score, and inverts a negated one. */
export function applyNegation(assertion: Assertion, found: Score): Score {
  const isGraded = assertion.type === 'similarity' || assertion.type === 'llm-rubric';
  const least = isGraded ? assertion.threshold : undefined;
  const score = least === undefined ? clamp(found.score) : Number(found.score >= least);
  return { score: assertion.negate === true ? 1 - score : score, reason: found.reason };
}

function clamp(score: number): number {
  return Number.isNaN(score) ? 0 : Math.min(1, Math.max(0, score));
}

function scoreSafely(assertion: Assertion, output: string): Score {
  try {
    return scoreValues(assertion, output);
  } catch (error) {
    // Negation must not turn a fault into a pass.
    return { score: assertion.negate === true ? 1 : 0, reason: `could not be judged: ${(error as Error).message}` };
  }
}

function scoreValues({ type, values, threshold }: Assertion, output: string): Score {
  if (type === 'is-json') return scoreIsJson(output);
  const rule = RULES[type];
  if (rule === undefined) throw new Error(`${type} needs a judge`);
  const scores = values.map((value) => rule(output, value, threshold));
  const ordered = scores.toSorted((a, b) => b.score - a.score);
  const decisive = type === 'contains-all' ? ordered.at(-1) : ordered[0];
  if (decisive === undefined) throw new Error(`${type} has no value`);
  return decisive;
}

function scoreIsJson(output: string): Score {
  try {
    JSON.parse(output);
    return { score: 1, reason: 'is JSON' };
  } catch (error) {
    return { score: 0, reason: `is not JSON: ${(error as Error).message}` };
  }
}

/** Without a tolerance two numbers are equal when they agree to 9 digits, so that 0.1 + 0.2 is 0.3. */
function scoreNumber(output: string, value: string, tolerance: number | undefined): Score {
  const wanted = parseNumber(value);
  const stated = findStatedNumber(output);
  if (wanted === null) throw new Error(`${quoted(value)} is no number`);
  if (stated === null) return { score: 0, reason: `expected the number ${value}, found none` };
  const allowed = Math.max(tolerance ?? 0, Math.abs(wanted) * 1e-9);
  const isNear = Math.abs(stated - wanted) <= allowed;
  return verdict(isNear, `${stated} is ${value}`, `expected ${value}${tolerance ? ` ± ${tolerance}` : ''}, got ${stated}`);
}

function scoreJson(output: string, value: string): Score {
  const answer = parseJsonAnswer(output);
  if (answer === undefined) return { score: 0, reason: `expected JSON, got ${quoted(output)}` };
  const isSame = isJsonEqual(answer.value, JSON.parse(value));
  return verdict(isSame, 'equals the expected JSON', `expected ${quoted(value)}, got ${quoted(output)}`);
}
