/** Which column or (dotted) key of a file holds what; `input` and `expected` are required, the rest is optional. */
export type ColumnMap = {
  readonly input: string;
  readonly expected: string;
  readonly id?: string;
  readonly system?: string;
  readonly category?: string;
};

const TARGETS = ['input', 'expected', 'id', 'system', 'category'];

/** Parses `input=question,expected=answer`; the other answer says what is wrong. */
export function parseColumnMap(text: string): { readonly map: ColumnMap } | { readonly problem: string } {
  const map: Record<string, string> = {};
  for (const part of text.split(',')) {
    const [target = '', source = ''] = part.split('=').map((side) => side.trim());
    if (!TARGETS.includes(target)) return { problem: `unknown target "${target}" (known: ${TARGETS.join(', ')})` };
    if (source === '') return { problem: `"${target}" needs a column: ${target}=<column>` };
    if (map[target] !== undefined) return { problem: `"${target}" is given twice` };
    map[target] = source;
  }
  const { input, expected, ...rest } = map;
  if (input === undefined) return { problem: 'input=<column> is missing' };
  if (expected === undefined) return { problem: 'expected=<column> is missing' };
  return { map: { input, expected, ...rest } };
}

/** The value at a column or key; a name that is no key itself is read as a dotted path. */
export function readField(fields: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(fields, name)) return fields[name];
  let value: unknown = fields;
  for (const key of name.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}
