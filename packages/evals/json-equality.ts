const FENCED = /^```(?:json)?\s*\n([\s\S]*)\n```$/;

/** The JSON value that an answer is, alone or as its only code block; undefined if it is none. */
export function parseJsonAnswer(text: string): { readonly value: unknown } | undefined {
  const trimmed = text.trim();
  try {
    return { value: JSON.parse(FENCED.exec(trimmed)?.[1] ?? trimmed) as unknown };
  } catch {
    return undefined;
  }
}

/** Compares two JSON values, the order of keys aside; iterative, since an answer may be nested deeper than the stack. */
export function isJsonEqual(left: unknown, right: unknown): boolean {
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    const [a, b] = pair;
    if (!isContainer(a) || !isContainer(b)) {
      if (a !== b) return false;
      continue;
    }
    const keys = Object.keys(a);
    if (Array.isArray(a) !== Array.isArray(b) || keys.length !== Object.keys(b).length) return false;
    for (const key of keys) {
      if (!Object.hasOwn(b, key)) return false;
      pairs.push([a[key], b[key]]);
    }
  }
  return true;
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
