/** A wait that may not last for ever. */
export interface DeadlineInput {
  readonly what: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Resolves as the promise does; rejects when time is up or the signal aborts. The promise itself is left behind. */
export const within = async <T>({ what, timeoutMs, signal }: DeadlineInput, promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  signal.throwIfAborted();
  let end = (): void => undefined;
  const cut = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${what} did not end within ${timeoutMs / 1_000} s`)), timeoutMs);
    const onAbort = (): void => reject(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    };
  });
  try {
    return await Promise.race([promise, cut]);
  } finally {
    end();
  }
};

/** How long a run of so many items may take before it counts as stuck: 2 minutes, and 10 ms an item. */
export const allowanceMs = (items: number): number => 120_000 + 10 * items;
