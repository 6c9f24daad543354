import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagedProcess } from './child-process.ts';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 10_000;
const CALM_AFTER_MS = 30_000;

/** A part of the stack that is started again when it dies. */
export interface Part {
  readonly name: string;
  /** Words by which its command line is recognised. */
  readonly words: readonly string[];
  start(): Promise<{ readonly process: ManagedProcess; stop(): Promise<void> }>;
}

/** What the supervisor tells: a process of a part started, or a part died. */
export interface SupervisorEvents {
  onStarted(part: Part, pid: number): Promise<void>;
  onDied(part: Part, how: string): void;
}

/** A part under supervision. */
export interface Supervised {
  readonly name: string;
  /** Ends the part and its supervision; resolves when its process is gone. */
  stop(): Promise<void>;
}

/** Starts a part and keeps it alive: after a death it waits 0.5 s, doubling to 10 s until it has lived 30 s. The first start must succeed. */
export async function supervise(part: Part, events: SupervisorEvents): Promise<Supervised> {
  const stopping = new AbortController();
  let running = await part.start();
  await events.onStarted(part, running.process.pid);

  const watch = async (): Promise<void> => {
    let waitMs = FIRST_WAIT_MS;
    while (!stopping.signal.aborted) {
      const bornAt = performance.now();
      const how = await running.process.exited;
      if (stopping.signal.aborted) return;
      events.onDied(part, how);
      if (performance.now() - bornAt > CALM_AFTER_MS) waitMs = FIRST_WAIT_MS;
      for (let isUp = false; !isUp && !stopping.signal.aborted; waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS)) {
        await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        if (stopping.signal.aborted) return;
        isUp = await restart();
      }
    }
  };
  const restart = async (): Promise<boolean> => {
    try {
      running = await part.start();
      await events.onStarted(part, running.process.pid);
      return true;
    } catch (error) {
      events.onDied(part, error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  const watching = watch();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running.stop();
    await watching;
    // A restart that was under way when `stop` came has ended by now.
    await running.stop();
  };
  return { name: part.name, stop };
}
