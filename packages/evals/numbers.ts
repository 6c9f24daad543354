/** Digits with points and commas, perhaps signed and with an exponent; a hyphen behind a word is no sign. One pass, no backtracking. */
const CANDIDATE = /(?:(?<![\w.,])[-+−])?[\d.,]+(?:[eE][-+]?\d+)?/gu;

/** Reads a text that is one finite number, with `,` allowed between thousands; null otherwise. */
export function parseNumber(text: string): number | null {
  const trimmed = text.trim().replace('−', '-');
  const plain = /^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d+)?$/.test(trimmed) ? trimmed.replaceAll(',', '') : trimmed;
  if (!/^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?$/.test(plain)) return null;
  const value = Number(plain);
  return Number.isFinite(value) ? value : null;
}

/** The number that an answer states: the whole text if it is one, else the last number in it, since answers lead up to it. */
export function findStatedNumber(text: string): number | null {
  const whole = parseNumber(text);
  if (whole !== null) return whole;
  let last: number | null = null;
  for (const [candidate] of text.matchAll(CANDIDATE)) last = readCandidate(candidate) ?? last;
  return last;
}

/** `1,2,3` is a list: its last member counts. A full stop or comma behind a number belongs to the sentence. */
function readCandidate(candidate: string): number | null {
  const token = /[.,]$/.test(candidate) ? candidate.slice(0, -1) : candidate;
  return parseNumber(token) ?? parseNumber(token.slice(token.lastIndexOf(',') + 1));
}
