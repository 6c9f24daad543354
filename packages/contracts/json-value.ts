const describe = (value: unknown): string | undefined => {
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { constructor } = prototype as { constructor?: { name?: string } };
  return constructor?.name === 'Object' ? undefined : (constructor?.name ?? 'object');
};

/** First place where a value is not plain JSON, as `path: what it is`, or undefined; `result` names the root. Cycles count as not plain. */
export const findUnserializable = (value: unknown, path = 'result', above: readonly unknown[] = []): string | undefined => {
  const kind = describe(value);
  if (kind !== undefined) return `${path}: ${kind}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (above.includes(value)) return `${path}: cycle`;
  const inner = [...above, value];
  for (const [key, member] of Object.entries(value)) {
    const found = findUnserializable(member, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`, inner);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Cuts text to at most `maxBytes` of UTF-8 without splitting a character; a cut text ends in `…`. */
export const cutText = (text: string, maxBytes: number): string => {
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
    if (bytes > maxBytes - 3) return `${text.slice(0, end)}…`;
    end += character.length;
  }
  return text;
};
