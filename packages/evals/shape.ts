import type { Assertion, ImportedCase } from '../contracts/eval-case.ts';
import { findAssertionProblem } from './assertions.ts';
import type { Scorer } from './assertions.ts';
import { quoted } from './import-error.ts';
import type { SourceRecord } from './records.ts';

/** A field that is not what its shape expects; the importer adds file and line. */
export type FieldProblem = { readonly field: string; readonly expected: string };

/** A read case or the first problem of its record. */
export type ShapeAnswer = { readonly ok: true; readonly case: ImportedCase } | { readonly ok: false; readonly problem: FieldProblem };

/** Reads one record of a known shape. */
export type ShapeReader = (record: SourceRecord) => ShapeAnswer;

/** A problem as an answer; `found` is quoted behind what was expected. */
export function refuse(field: string, expected: string, found?: unknown): { ok: false; problem: FieldProblem } {
  const tail = found === undefined ? '' : `, found ${quoted(found)}`;
  return { ok: false, problem: { field, expected: `${expected}${tail}` } };
}

/** Reads an expected answer: a text, number or truth value, or a list of them of which any is right. */
export function readExpected(value: unknown): readonly string[] | null {
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  const texts = items.map((item) => (typeof item === 'number' || typeof item === 'boolean' ? String(item) : item));
  return texts.length > 0 && texts.every((item): item is string => typeof item === 'string') ? texts : null;
}

/** Builds the assertion of a dataset that only has expected answers. */
export function buildAssertion(scorer: Scorer, values: readonly string[]): Assertion {
  const wanted = scorer.type === 'llm-rubric' ? values.map((value) => `The answer agrees with this reference: ${value}`) : values;
  return { ...scorer, values: wanted };
}

/** Refuses the first assertion that could not be judged. */
export function checkAssertions(field: string, assertions: readonly Assertion[]): FieldProblem | null {
  const problem = assertions.map(findAssertionProblem).find((found) => found !== null);
  return problem === undefined || problem === null ? null : { field, expected: problem };
}
