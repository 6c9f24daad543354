import { distance } from 'fastest-levenshtein';

/** The known name nearest to a misspelt one; undefined where none is near enough to be meant. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  const [best] = known.map((candidate) => ({ candidate, edits: distance(name, candidate) })).sort((a, b) => a.edits - b.edits);
  return best !== undefined && best.edits <= Math.max(2, name.length / 3) ? best.candidate : undefined;
}

/** A half-sentence that offers the nearest name, or names them all. */
export function suggestName(name: string, known: readonly string[]): string {
  const nearest = nearestName(name, known);
  return nearest === undefined ? `known are ${known.join(', ')}` : `did you mean ${nearest}?`;
}
