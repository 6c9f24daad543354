/** Exit codes of every command. */
export const EXIT = { done: 0, endedBadly: 1, refused: 2, unreachable: 3 } as const;

/** One of the exit codes of every command. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A fault that a person can mend: its message says in one line what was wrong and what to do; no stack trace is shown. */
export class UserError extends Error {
  readonly exitCode: ExitCode;

  constructor(message: string, exitCode: ExitCode = EXIT.refused, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}
