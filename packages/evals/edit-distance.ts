import { distance } from 'fastest-levenshtein';

/** Comparisons cost length × length / 32; 4·10⁸ is about 0.1 s, beyond it an answer is called different. */
const GREATEST_PRODUCT = 4e8;

type Score = { readonly score: number; readonly reason: string };

/** 1 if at most `greatest` single-character edits lead from one text to the other. */
export function compareDistance(output: string, value: string, greatest: number): Score {
  // The lengths alone settle most long texts: no distance is below their difference.
  const least = Math.abs(output.length - value.length);
  if (least > greatest) return { score: 0, reason: `at least ${least} edits apart, ${greatest} allowed` };
  if (isTooLong(output, value)) return tooLong(output, value);
  const edits = distance(output, value);
  return { score: Number(edits <= greatest), reason: `${edits} edits apart, ${greatest} allowed` };
}

/** 1 for equal texts, falling to 0 by the share of characters that must be edited. */
export function computeSimilarity(output: string, value: string): Score {
  const longest = Math.max(output.length, value.length);
  if (output === value) return { score: 1, reason: 'equal' };
  if (isTooLong(output, value)) return tooLong(output, value);
  const score = 1 - distance(output, value) / longest;
  return { score, reason: `${Math.round(score * 100)} % similar` };
}

function isTooLong(output: string, value: string): boolean {
  return output !== value && output.length * value.length > GREATEST_PRODUCT;
}

function tooLong(output: string, value: string): Score {
  return { score: 0, reason: `too long to compare (${output.length} and ${value.length} characters), counted as different` };
}
