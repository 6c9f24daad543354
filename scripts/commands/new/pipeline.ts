import { defineCommand } from 'citty';
import { EXIT } from '../../../packages/runtime/user-error.ts';
import { commonArgs } from '../../cli/common-args.ts';
import { describeCreation, describeLeftovers, directoryArgs, resolveDirectory } from '../../cli/new-pipeline.ts';
import { createOutput } from '../../cli/output.ts';
import { checkFiles } from '../../new-pipeline/check-files.ts';
import { requireEntityName } from '../../new-pipeline/entity-name.ts';
import { findLeftovers } from '../../new-pipeline/leftovers.ts';
import { preparePipeline } from '../../new-pipeline/prepare.ts';
import { writeFiles } from '../../new-pipeline/write-files.ts';

/** `strata new pipeline`: copies the living example under another name, registers the copy, checks it, and names what is left to fill in. */
export const newPipelineCommand = defineCommand({
  meta: { name: 'pipeline', description: 'copy the example under a new name, register and check the copy' },
  args: {
    ...commonArgs,
    ...directoryArgs,
    entity: { type: 'positional', required: true, description: 'kebab name of the new pipeline, such as invoice-match' },
    check: { type: 'boolean', default: true, description: 'check types, lint and format', negativeDescription: 'write the files only' },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const root = resolveDirectory(args.directory);
    const entity = requireEntityName(args.entity);
    const prepared = await preparePipeline(root, entity);
    const changes = [...prepared.created, ...prepared.changed];
    writeFiles(root, changes);
    const paths = changes.map(({ path }) => path);
    if (args.check) output.note('checking types, lint and format …');
    const checks = args.check ? await checkFiles(root, paths) : [];
    const left = findLeftovers(root, entity);
    const { registered } = prepared;
    const created = prepared.created.map(({ path }) => path);
    output.document(
      { entity, created, registered, checks, left },
      () => `${describeCreation(prepared, checks)}\n\n${describeLeftovers(entity, left)}`,
    );
    return checks.every(({ ok }) => ok) ? EXIT.done : EXIT.endedBadly;
  },
});
