const LONE_SURROGATE = /\p{Surrogate}/u;
const ELLIPSIS_BYTES = 3;
const UNSTORABLE = /\0|\p{Surrogate}/gu;

const describeText = (text: string): string | undefined => {
  if (text.includes('\0')) return 'text with NUL';
  return LONE_SURROGATE.test(text) ? 'text with half a character' : undefined;
};

const describe = (value: unknown): string | undefined => {
  if (typeof value === 'string') return describeText(value);
  if (value === undefined) return 'undefined';
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === 'bigint' || typeof value === 'function' || typeof value === 'symbol') return typeof value;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === null || prototype === Object.prototype) return undefined;
  const { constructor } = prototype as { constructor?: { name?: string } };
  return constructor?.name === 'Object' ? undefined : (constructor?.name ?? 'object');
};

/**
 * First place where a value is not plain JSON that Postgres can keep, as `path: what it is`, or undefined; `result` names the root. Cycles, NUL and
 * half a surrogate pair (a cut emoji) count as not plain.
 */
export const findUnserializable = (value: unknown, path = 'result', above: readonly unknown[] = []): string | undefined => {
  const kind = describe(value);
  if (kind !== undefined) return `${path}: ${kind}`;
  if (typeof value !== 'object' || value === null) return undefined;
  if (above.includes(value)) return `${path}: cycle`;
  const inner = [...above, value];
  const members: Iterable<[string | number, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, member] of members) {
    const place = typeof key === 'number' ? `${path}[${key}]` : `${path}.${key}`;
    const found =
      (typeof key === 'string' && describeText(key) !== undefined ? `${path}: key of ${describeText(key)}` : undefined) ??
      findUnserializable(member, place, inner);
    if (found !== undefined) return found;
  }
  return undefined;
};

/** Whether values lie within each other deeper than so; looks no further down than that, however deep it is. */
export const isDeeper = (value: unknown, levels: number): boolean =>
  typeof value === 'object' && value !== null && (levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1)));

const cleaned = (text: string): string => text.replaceAll(UNSTORABLE, '\uFFFD');

/** Plain JSON as Postgres can keep it, keys too: NUL and half a character become U+FFFD, like in texts. */
export const toStorable = <T>(value: T): T => {
  if (typeof value === 'string') return cleaned(value) as T;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(toStorable) as T;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleaned(key), toStorable(member)])) as T;
};

/** Cuts text to at most `maxBytes` of UTF-8 without splitting a character; a cut text ends in `…`. What no text column can hold (NUL, half a character) becomes U+FFFD. */
export const cutText = (given: string, maxBytes: number): string => {
  // Nothing beyond so many characters can stay, however short they are.
  const text = cleaned(given.slice(0, maxBytes + 1));
  if (text.length * 3 <= maxBytes) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x8_00 ? 2 : point < 0x1_00_00 ? 3 : 4;
    if (bytes > maxBytes) return `${text.slice(0, end)}…`;
    if (bytes <= maxBytes - ELLIPSIS_BYTES) end += character.length;
  }
  return text;
};
