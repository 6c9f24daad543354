// Handlers run in a process; the room itself needs no more of it than these names.
interface AbortSignal {
  readonly aborted: boolean;
}
declare const crypto: { randomUUID(): string };
