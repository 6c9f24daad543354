/** A yes-or-no check: a script of package.json. */
export interface Gate {
  readonly name: string;
  readonly script: string;
}

/** A project of vitest.config.ts, and how long it may take. */
export interface Suite {
  readonly name: string;
  readonly deadlineMs: number;
  readonly fullDeadlineMs: number;
}

const MINUTE = 60_000;

/** In the order in which they run, cheapest verdict first. */
export const GATES: readonly Gate[] = [
  { name: 'types', script: 'types' },
  { name: 'lint', script: 'lint' },
  { name: 'format', script: 'format:check' },
  { name: 'knip', script: 'dead' },
];

/** In the order in which they run. */
export const SUITES: readonly Suite[] = [
  { name: 'unit', deadlineMs: 6 * MINUTE, fullDeadlineMs: 10 * MINUTE },
  { name: 'replay', deadlineMs: 6 * MINUTE, fullDeadlineMs: 10 * MINUTE },
  { name: 'server', deadlineMs: 40 * MINUTE, fullDeadlineMs: 120 * MINUTE },
  { name: 'browser', deadlineMs: 8 * MINUTE, fullDeadlineMs: 10 * MINUTE },
  { name: 'chaos', deadlineMs: 12 * MINUTE, fullDeadlineMs: 120 * MINUTE },
];
