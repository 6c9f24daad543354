/** A test that did not run, and why. */
export interface SkippedTest {
  readonly name: string;
  readonly reason: string;
}

/** What a gate or a suite adds to the last line. */
export interface Tally {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: readonly SkippedTest[];
}

/** A tally without anything in it. */
export const EMPTY_TALLY: Tally = { passed: 0, failed: 0, skipped: [] };

/** Tally of a check that is a single yes or no. */
export const computeGateTally = (hasPassed: boolean): Tally => ({ passed: hasPassed ? 1 : 0, failed: hasPassed ? 0 : 1, skipped: [] });

/** Sum of tallies. */
export const addTallies = (tallies: readonly Tally[]): Tally =>
  tallies.reduce(
    (sum, each) => ({ passed: sum.passed + each.passed, failed: sum.failed + each.failed, skipped: [...sum.skipped, ...each.skipped] }),
    EMPTY_TALLY,
  );

/** A suite whose process failed has failed, even where no single test did: an error outside tests, no test at all, a process that died. */
export const computeSuiteTally = (reported: Tally | undefined, exitCode: number | null): Tally => {
  const tally = reported ?? EMPTY_TALLY;
  const isEmpty = tally.passed + tally.failed + tally.skipped.length === 0;
  const isSilentFailure = tally.failed === 0 && (exitCode !== 0 || isEmpty);
  return isSilentFailure ? { ...tally, failed: 1 } : tally;
};

const describeSkips = (skipped: readonly SkippedTest[]): string => {
  const counts = new Map<string, number>();
  for (const { reason } of skipped) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `${count} × ${reason}`).join('; ');
};

/** The last lines of a check: the reasons of skips, if any, then `N passed, N failed[, N skipped]`. */
export const formatTally = ({ passed, failed, skipped }: Tally): string => {
  const counts = `${passed} passed, ${failed} failed`;
  return skipped.length === 0 ? counts : `skipped: ${describeSkips(skipped)}\n${counts}, ${skipped.length} skipped`;
};
