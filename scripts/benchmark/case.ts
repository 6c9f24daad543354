import type { Assertion } from '../../packages/contracts/eval-case.ts';

/** A case of the bundled benchmark before it has a number. */
export type Draft = { readonly question: string; readonly assertion: Assertion };

/** Right when the stated number is within the tolerance. */
export const number = (question: string, expected: number, tolerance = 0): Draft => ({
  question,
  assertion: { type: 'numeric', values: [String(expected)], ...(tolerance === 0 ? {} : { threshold: tolerance }) },
});

/** Right when the answer is this text. */
export const text = (question: string, ...values: string[]): Draft => ({ question, assertion: { type: 'equals', values } });

/** Right when the answer begins with this word, case aside. */
export const begin = (question: string, word: string): Draft => ({
  question,
  assertion: { type: 'regex', values: [`(?i)^\\s*${word}\\b`] },
});

/** Graded by how few characters differ. */
export const resemble = (question: string, value: string): Draft => ({ question, assertion: { type: 'similarity', values: [value] } });

/** Right when the answer contains this text, case aside. */
export const mention = (question: string, value: string): Draft => ({ question, assertion: { type: 'icontains', values: [value] } });

/** Right when the answer is this JSON value. */
export const json = (question: string, value: unknown): Draft => ({
  question,
  assertion: { type: 'json-equals', values: [JSON.stringify(value)] },
});
