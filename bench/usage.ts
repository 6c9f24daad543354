import { readFile, writeFile } from 'node:fs/promises';

const TICKS_PER_SECOND = 100;
/** Written to `clear_refs`, it starts the process's peak of resident memory anew. */
const RESET_PEAK = '5';

/** CPU time of a process so far, and the most memory it held since its peak was last reset. */
export interface ProcessUsage {
  readonly cpuSeconds: number;
  readonly peakRssMb: number;
}

interface ProcessTimes {
  readonly own: number;
  /** Of children that ended and were waited for. */
  readonly ended: number;
}

const readTimes = async (pid: number): Promise<ProcessTimes> => {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name before the last bracket may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const seconds = (from: number): number => (Number(fields[from]) + Number(fields[from + 1])) / TICKS_PER_SECOND;
  return { own: seconds(11), ended: seconds(13) };
};

/** Reads what the kernel counts of one process (Linux: /proc). */
export const readUsage = async (pid: number): Promise<ProcessUsage> => {
  const [{ own }, status] = await Promise.all([readTimes(pid), readFile(`/proc/${pid}/status`, 'utf8')]);
  const peakKb = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0);
  return { cpuSeconds: own, peakRssMb: Math.round(peakKb / 1_024) };
};

/** CPU seconds of a process and of the children it has or had: a Postgres server has one per connection. */
export const readTreeCpu = async (pid: number): Promise<number> => {
  const [{ own, ended }, children] = await Promise.all([readTimes(pid), readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')]);
  const living = children.split(' ').filter((child) => child !== '');
  const times = await Promise.all(living.map((child) => readTimes(Number(child)).catch(() => ({ own: 0 }))));
  return times.reduce((sum, child) => sum + child.own, own + ended);
};

/** Starts the peaks of memory anew; where the kernel does not allow it they count from the start of the process. */
export const resetPeaks = async (pids: readonly number[]): Promise<void> => {
  await Promise.all(pids.map((pid) => writeFile(`/proc/${pid}/clear_refs`, RESET_PEAK).catch(() => undefined)));
};
