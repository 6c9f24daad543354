import { defineCommand } from 'citty';

/** `strata eval …`: benchmarks, their runs and reports. */
export const evalCommand = defineCommand({
  meta: { name: 'eval', description: 'import benchmarks, run them against a target, read the report' },
  subCommands: {
    import: () => import('./eval/import.ts').then((module) => module.evalImportCommand),
    list: () => import('./eval/list.ts').then((module) => module.evalListCommand),
    report: () => import('./eval/report.ts').then((module) => module.evalReportCommand),
    retry: () => import('./eval/retry.ts').then((module) => module.evalRetryCommand),
    run: () => import('./eval/run.ts').then((module) => module.evalRunCommand),
  },
});
