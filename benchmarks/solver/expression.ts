type Token = { readonly kind: 'number'; readonly value: number } | { readonly kind: 'sign'; readonly text: string };

const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\bplus\b/g, '+'],
  [/\bminus\b/g, '-'],
  [/\b(?:times|multiplied by)\b/g, '*'],
  [/\bdivided by\b/g, '/'],
  [/\bto the power of\b/g, '^'],
  [/\bsquared\b/g, '^2'],
  [/\bcubed\b/g, '^3'],
  [/(?<=\d)\s*x\s*(?=\d)/g, '*'],
  [/[×·]/g, '*'],
  [/÷/g, '/'],
  [/−/g, '-'],
];

/** Value of an arithmetic expression of numbers, + - * / ^ and parentheses, also in words; null if the text is anything else. */
export function evaluateExpression(text: string): number | null {
  const tokens = readTokens(WORDS.reduce((rest, [words, sign]) => rest.replaceAll(words, sign), text.toLowerCase()));
  if (tokens === null || tokens.length === 0) return null;
  const parser = { tokens, at: 0 };
  const value = readSum(parser);
  return value !== null && parser.at === tokens.length && Number.isFinite(value) ? value : null;
}

function readTokens(text: string): Token[] | null {
  const tokens: Token[] = [];
  let rest = text.trim();
  while (rest !== '') {
    const match = /^(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|[-+*/^()])\s*/.exec(rest);
    if (match?.[1] === undefined) return null;
    const isNumber = /^\d/.test(match[1]);
    tokens.push(isNumber ? { kind: 'number', value: Number(match[1].replaceAll(',', '')) } : { kind: 'sign', text: match[1] });
    rest = rest.slice(match[0].length);
  }
  return tokens;
}

type Parser = { readonly tokens: readonly Token[]; at: number };

function takeSign(parser: Parser, signs: string): string | null {
  const token = parser.tokens[parser.at];
  if (token?.kind !== 'sign' || !signs.includes(token.text)) return null;
  parser.at++;
  return token.text;
}

function readSum(parser: Parser): number | null {
  let value = readProduct(parser);
  for (let sign = takeSign(parser, '+-'); sign !== null && value !== null; sign = takeSign(parser, '+-')) {
    const next = readProduct(parser);
    value = next === null ? null : sign === '+' ? value + next : value - next;
  }
  return value;
}

function readProduct(parser: Parser): number | null {
  let value = readPower(parser);
  for (let sign = takeSign(parser, '*/'); sign !== null && value !== null; sign = takeSign(parser, '*/')) {
    const next = readPower(parser);
    value = next === null ? null : sign === '*' ? value * next : value / next;
  }
  return value;
}

/** A power binds to the right and before a sign in front: -3^2 is -9. */
function readPower(parser: Parser): number | null {
  if (takeSign(parser, '-') !== null) {
    const value = readPower(parser);
    return value === null ? null : -value;
  }
  const base = readAtom(parser);
  if (base === null || takeSign(parser, '^') === null) return base;
  const exponent = readPower(parser);
  return exponent === null ? null : base ** exponent;
}

function readAtom(parser: Parser): number | null {
  if (takeSign(parser, '(') !== null) {
    const value = readSum(parser);
    return takeSign(parser, ')') === null ? null : value;
  }
  const token = parser.tokens[parser.at];
  if (token?.kind !== 'number') return null;
  parser.at++;
  return token.value;
}
