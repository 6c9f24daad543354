import { distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import type { InputProblem } from './failures.ts';

const nearest = (word: string, known: readonly string[]): string | undefined => {
  const plain = (name: string): string => name.replaceAll(/[_-]/g, '').toLowerCase();
  const ranked = known.map((name) => ({ name, away: distance(plain(word), plain(name)) })).sort((a, b) => a.away - b.away);
  return ranked[0] !== undefined && ranked[0].away <= Math.max(2, word.length / 3) ? ranked[0].name : undefined;
};

const unknownKey = (key: string, path: string, known: readonly string[]): InputProblem => {
  const near = nearest(key, known);
  const hint = near === undefined ? `known keys: ${known.join(', ')}` : `did you mean ${near}?`;
  return { path, code: 'unknown_key', message: `unknown key ${key}, ${hint}` };
};

/** Where the parsed value stands in the whole (`payload`), and which keys it may have. */
export interface ProblemPlace {
  readonly at?: string;
  readonly known: readonly string[];
}

/** What zod found, in the words of a refused input: dotted path from the whole, machine code, reason; an unknown key names the nearest known one. */
export const toProblems = (issue: z.core.$ZodIssue, { at, known }: ProblemPlace): InputProblem[] => {
  const path = [...(at === undefined ? [] : [at]), ...issue.path.map(String)].join('.');
  if (issue.code === 'unrecognized_keys' && issue.path.length === 0)
    return issue.keys.map((key) => unknownKey(key, path === '' ? key : `${path}.${key}`, known));
  const missing = (issue.code === 'invalid_type' || issue.code === 'invalid_value') && issue.input === undefined;
  if (missing && path !== '') return [{ path, code: 'missing', message: `Missing ${path} in payload` }];
  return [{ path, code: issue.code, message: path === '' ? issue.message : `${path}: ${issue.message}` }];
};
