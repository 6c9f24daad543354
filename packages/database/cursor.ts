/** A position in keyset order, exact to the column's precision: [sort key as Postgres text, item id]. */
export type Position = readonly [string, string];

/** Opaque cursor text of a position. */
export const encodeCursor = (position: Position): string => JSON.stringify(position);

/** Position of a cursor we made; throws `TypeError` on any other text. */
export const parseCursor = (cursor: string): Position => {
  const parsed: unknown = JSON.parse(cursor);
  if (!Array.isArray(parsed) || parsed.length !== 2 || !parsed.every((part) => typeof part === 'string')) throw new TypeError('not a cursor');
  return parsed as unknown as Position;
};
