import { EXIT, UserError } from './user-error.ts';
import type { ExitCode } from './user-error.ts';

/** `unknown`: nobody knows the run; `conflict`: it is in no state for that; `unanswered`: nobody is there who could do it. */
export type RunFaultKind = 'unknown' | 'conflict' | 'unanswered';

const EXIT_OF: Readonly<Record<RunFaultKind, ExitCode>> = { unknown: EXIT.unreachable, conflict: EXIT.refused, unanswered: EXIT.unreachable };

/** Why nothing was done with a run: a UserError that also tells apart what one exit code stands for. */
export class RunFault extends UserError {
  readonly kind: RunFaultKind;

  constructor(kind: RunFaultKind, message: string, cause?: unknown) {
    super(message, EXIT_OF[kind], cause);
    this.name = 'RunFault';
    this.kind = kind;
  }
}
