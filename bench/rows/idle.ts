import { setTimeout as delay } from 'node:timers/promises';
import type { BenchContext } from '../context.ts';
import { withWorkers } from '../context.ts';
import type { TrialOutcome } from '../row.ts';
import { roundTo } from '../statistics.ts';
import { prepareTrial } from '../trial.ts';
import { readTreeCpu, readUsage } from '../usage.ts';

const SETTLE_MS = 5_000;

const readCpu = async ({ stack }: BenchContext, pid: number) => ({
  worker: (await readUsage(pid)).cpuSeconds,
  temporal: await readTreeCpu(stack.serverPids.temporal),
  postgres: await readTreeCpu(stack.serverPids.postgres),
});

/** A worker that has done a small job and has nothing to do now: CPU time of it and of the servers. */
export const measureIdle = (context: BenchContext): Promise<TrialOutcome<'idle'>> =>
  withWorkers(context, 1, async ([worker]) => {
    const pid = worker?.pid ?? 0;
    const trial = await prepareTrial(context, { label: 'before-idle', items: context.sizes.smallJob });
    await trial.run();
    await delay(SETTLE_MS, undefined, { signal: context.signal });
    const before = await readCpu(context, pid);
    const startedAt = performance.now();
    await delay(context.sizes.idleSeconds * 1_000, undefined, { signal: context.signal });
    const seconds = (performance.now() - startedAt) / 1_000;
    const after = await readCpu(context, pid);
    const msPerSecond = (part: keyof typeof before): number => roundTo(((after[part] - before[part]) * 1_000) / seconds, 1);
    return {
      seconds: roundTo(seconds, 1),
      cpuSeconds: roundTo(after.worker - before.worker, 2),
      peakRssMb: (await readUsage(pid)).peakRssMb,
      figures: {
        workerCpuMsPerSecond: msPerSecond('worker'),
        temporalCpuMsPerSecond: msPerSecond('temporal'),
        postgresCpuMsPerSecond: msPerSecond('postgres'),
      },
    };
  });
