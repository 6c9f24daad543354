import { readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { runCommand } from './run-command.ts';
import type { CommandEnd } from './run-command.ts';
import { GATES, SUITES } from './steps.ts';
import type { Gate, Suite } from './steps.ts';
import { addTallies, computeGateTally, computeSuiteTally, formatTally } from './tally.ts';
import type { Tally } from './tally.ts';

const GATE_DEADLINE_MS = 600_000;
const VITEST = 'node_modules/vitest/vitest.mjs';

const say = (text: string): void => console.log(text);

const describeEnd = ({ exitCode, isOverdue, seconds }: CommandEnd): string => {
  const took = `${seconds.toFixed(1)} s`;
  if (isOverdue) return `stopped at its deadline after ${took}`;
  return exitCode === 0 ? `ok, ${took}` : `FAILED, ${took}`;
};

async function runGate({ name, script }: Gate): Promise<Tally> {
  const end = await runCommand({ command: 'npm', args: ['run', '--silent', script], output: 'kept', deadlineMs: GATE_DEADLINE_MS });
  if (end.exitCode !== 0) say(end.output.trimEnd());
  say(`${name}: ${describeEnd(end)}`);
  return computeGateTally(end.exitCode === 0);
}

function readTally(file: string): Tally | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Tally;
  } catch {
    // The suite died before its end: the exit code tells.
    return undefined;
  }
}

async function runSuite(suite: Suite, isFull: boolean): Promise<Tally> {
  const file = `.strata/checks/${suite.name}.json`;
  rmSync(file, { force: true });
  say(`${suite.name}:`);
  const end = await runCommand({
    command: process.execPath,
    args: [VITEST, 'run', '--project', suite.name],
    env: { STRATA_TALLY_FILE: file, ...(isFull ? { STRATA_TEST_FULL: '1' } : {}) },
    output: 'shown',
    deadlineMs: isFull ? suite.fullDeadlineMs : suite.deadlineMs,
  });
  const tally = computeSuiteTally(readTally(file), end.exitCode);
  say(`${suite.name}: ${describeEnd(end)}: ${formatTally(tally).split('\n').at(-1)}`);
  return tally;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { full: { type: 'boolean', default: false } } });
  let isInterrupted = false;
  // The terminal interrupts the running program too; the verdict is still printed.
  process.on('SIGINT', () => (isInterrupted = true));
  process.on('SIGTERM', () => (isInterrupted = true));

  const tallies: Tally[] = [];
  for (const gate of GATES) if (!isInterrupted) tallies.push(await runGate(gate));
  for (const suite of SUITES) if (!isInterrupted) tallies.push(await runSuite(suite, values.full));

  const total = addTallies(tallies);
  if (isInterrupted) say('interrupted: what had not run is not counted');
  say(formatTally(total));
  process.exitCode = total.failed > 0 || isInterrupted ? 1 : 0;
}

await main();
