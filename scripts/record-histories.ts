import { runCommand } from './checks/run-command.ts';

const DEADLINE_MS = 600_000;

// Plays every scenario of tests/replay/scenarios on real servers and writes tests/replay/histories anew.
const { exitCode } = await runCommand({
  command: process.execPath,
  args: ['node_modules/vitest/vitest.mjs', 'run', '--project', 'histories'],
  env: { STRATA_RECORD_HISTORIES: '1' },
  output: 'shown',
  deadlineMs: DEADLINE_MS,
});
process.exitCode = exitCode ?? 1;
