/** Work of one process that nobody awaits: in turn within a line, side by side across lines. */
export interface ProcessWork {
  /** Begins when what the line has so far is over, and never before its caller has gone on. */
  inTurn(line: string, work: () => Promise<void>): void;
  /** Goes on beside every line. */
  aside(work: Promise<void>): void;
  /** Resolves when there is none. */
  idle(): Promise<void>;
}

/** Creates none yet; lines that have come to their end are forgotten. */
export const createProcessWork = (onError: (error: unknown) => void): ProcessWork => {
  const lines = new Map<string, Promise<void>>();
  const asides = new Set<Promise<void>>();
  return {
    inTurn: (line, work) => {
      const before = lines.get(line) ?? new Promise<void>((resolve) => void setImmediate(resolve));
      const next = before
        .then(work)
        .catch(onError)
        .finally(() => lines.get(line) === next && lines.delete(line));
      lines.set(line, next);
    },
    aside: (work) => {
      const kept = work.catch(onError).finally(() => asides.delete(kept));
      asides.add(kept);
    },
    idle: async () => {
      while (lines.size + asides.size > 0) await Promise.all([...lines.values(), ...asides]);
    },
  };
};
