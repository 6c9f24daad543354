/** Work was not done in its time. */
export class TimeUp extends Error {
  constructor(ms: number) {
    super(`not done within ${Math.round(ms)} ms`);
    this.name = 'TimeUp';
  }
}

/** Gives work so many ms, or until `outer` aborts: then it is left behind with its signal aborted, TimeUp or the reason of `outer` is thrown. */
export const within = async <T>(
  { ms, outer }: { readonly ms: number; readonly outer: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  outer.throwIfAborted();
  const end = new AbortController();
  const signal = AbortSignal.any([outer, end.signal]);
  const timer = setTimeout(() => end.abort(new TimeUp(ms)), ms);
  const { promise: cut, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason);
  signal.addEventListener('abort', stop);
  try {
    return await Promise.race([work(signal), cut]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
  }
};
