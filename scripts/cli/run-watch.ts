import { Presets, SingleBar } from 'cli-progress';
import type { RunStatus } from '../../packages/runtime/run-status.ts';
import type { Output } from './output.ts';
import { doneOf, etaText, lineOf, rateText, stateText } from './run-text.ts';

const TERMINAL_EVERY_MS = 500;
const LINE_EVERY_MS = 2_000;

/** Shows a run while it is watched. */
export interface ProgressView {
  /** Time between two readings, ms. */
  readonly everyMs: number;
  show(status: RunStatus): void;
  end(status?: RunStatus): void;
}

/** A bar for a person at a terminal; with `--follow` elsewhere a line (with `--json` a document) every 2 s; otherwise nothing. */
export function createProgressView(output: Output, isFollowing: boolean): ProgressView {
  if (output.isTerminal && process.stderr.isTTY === true) return createBar();
  const show = (status: RunStatus): void => output.event(status, () => lineOf(status));
  return { everyMs: LINE_EVERY_MS, show: isFollowing ? show : () => undefined, end: () => undefined };
}

/** The bar is on stderr, so that stdout holds nothing but the answer. */
function createBar(): ProgressView {
  const bar = new SingleBar(
    {
      format: '{state} {bar} {percentage} % · {value}/{total} · {failed} failed · {rate} · {eta_text} left',
      hideCursor: false,
      stopOnComplete: false,
      gracefulExit: false,
      fps: 4,
    },
    Presets.shades_classic,
  );
  let isShown = false;
  const show = (status: RunStatus): void => {
    const { done, total } = doneOf(status) ?? { done: 0, total: 0 };
    const texts = { state: stateText(status), failed: status.failed, rate: rateText(status), eta_text: etaText(status) };
    if (!isShown) bar.start(total, done, texts);
    isShown = true;
    bar.setTotal(total);
    bar.update(done, texts);
  };
  return {
    everyMs: TERMINAL_EVERY_MS,
    show,
    end: (status) => {
      if (status !== undefined && isShown) show(status);
      bar.stop();
    },
  };
}
