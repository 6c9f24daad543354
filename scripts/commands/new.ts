import { defineCommand } from 'citty';

/** `strata new …`: makes a pipeline from the living example and says what of it is left. */
export const newCommand = defineCommand({
  meta: { name: 'new', description: 'make a new pipeline from the example' },
  subCommands: {
    check: () => import('./new/check.ts').then((module) => module.newCheckCommand),
    pipeline: () => import('./new/pipeline.ts').then((module) => module.newPipelineCommand),
  },
});
