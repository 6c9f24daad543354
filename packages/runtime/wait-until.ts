import { setTimeout as sleep } from 'node:timers/promises';

/** What is waited for: `probe` answers true when it holds; a probe that throws counts as "not yet". */
export interface WaitUntilInput {
  readonly what: string;
  readonly probe: () => Promise<boolean>;
  readonly timeoutMs: number;
  readonly everyMs?: number;
  readonly signal?: AbortSignal;
}

/** Waits until a condition holds; throws an Error that names it, with the probe's last error as cause, when time is up or the signal aborts. */
export async function waitUntil(input: WaitUntilInput): Promise<void> {
  const endsAt = performance.now() + input.timeoutMs;
  let lastError: unknown;
  for (;;) {
    try {
      if (await input.probe()) return;
    } catch (error) {
      lastError = error;
    }
    if (performance.now() > endsAt) throw new Error(`${input.what} did not happen within ${input.timeoutMs / 1000} s`, { cause: lastError });
    await sleep(input.everyMs ?? 50, undefined, { ...(input.signal && { signal: input.signal }) });
  }
}
