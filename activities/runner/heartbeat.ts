import { Context } from '@temporalio/activity';

const BEAT_MS = 1_000;

/** Beats every second while `work` runs, so that a cancellation is heard and a dead worker is noticed; hands over the cancellation as a signal. */
export const withHeartbeat = async <T>(work: (interrupt: AbortSignal) => Promise<T>): Promise<T> => {
  const context = Context.current();
  const timer = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    return await work(context.cancellationSignal);
  } finally {
    clearInterval(timer);
  }
};
