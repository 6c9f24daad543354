import type { ItemOutcome } from '../../activities/runner/definition.ts';

interface Gated {
  readonly signal: AbortSignal;
}

/** Lets the first `pass` executions through and holds the others until it is opened; an interrupted one gives up. */
export interface Gate {
  readonly execute: (context: Gated) => Promise<ItemOutcome>;
  readonly open: () => void;
  /** Executions that wait now. */
  readonly waiting: () => number;
}

export function createGate(pass: number): Gate {
  const waiting = new Set<() => void>();
  let left = pass;
  const wait = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      waiting.add(resolve);
      signal.addEventListener('abort', () => {
        waiting.delete(resolve);
        reject(signal.reason as Error);
      });
    });
  return {
    execute: async ({ signal }) => {
      if (left-- <= 0) await wait(signal);
      return { kind: 'done' };
    },
    open: () => {
      left = Number.POSITIVE_INFINITY;
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
    waiting: () => waiting.size,
  };
}
