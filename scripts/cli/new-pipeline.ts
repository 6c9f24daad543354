import { resolve } from 'node:path';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';
import type { FileCheck } from '../new-pipeline/check-files.ts';
import type { Leftover } from '../new-pipeline/leftovers.ts';
import type { PreparedPipeline } from '../new-pipeline/prepare.ts';

const MAX_PART = 44;

/** Argument of the commands that work on a checkout. */
export const directoryArgs = {
  directory: { type: 'string', description: 'root of the checkout (default: the one of this command)', valueHint: 'dir' },
} as const;

/** Root of the checkout that a command works on. */
export const resolveDirectory = (given: string | undefined): string => (given === undefined ? REPOSITORY_ROOT : resolve(given));

/** What a pipeline still has of the example, one line for each part. */
export const describeLeftovers = (entity: string, left: readonly Leftover[]): string => {
  if (left.length === 0) return `${entity} has nothing left of the example`;
  const parts = left.map(({ part }) => (part.length > MAX_PART ? `${part.slice(0, MAX_PART - 1)}…` : part));
  const places = left.map(({ file, line }) => `${file}:${line}`);
  const width = (texts: readonly string[]): number => Math.max(...texts.map((text) => text.length));
  const [placeWidth, partWidth] = [width(places), width(parts)];
  const lines = left.map(
    ({ stage, decide }, index) =>
      `  ${stage.padEnd(5)}  ${(places[index] ?? '').padEnd(placeWidth)}  ${(parts[index] ?? '').padEnd(partWidth)}  ${decide}`,
  );
  return [`${entity} still has ${left.length} parts of the example; \`strata new check ${entity}\` names them again:`, ...lines].join('\n');
};

/** What was made and how it did in the checks. */
export const describeCreation = (prepared: PreparedPipeline, checks: readonly FileCheck[]): string =>
  [
    ...prepared.created.map(({ path }) => `new   ${path}`),
    ...prepared.registered.map(({ file, line, text }) => `line  ${file}:${line}  ${text}`),
    ...checks.map(({ name, ok, seconds, output }) => (ok ? `ok    ${name} (${seconds} s)` : `FAIL  ${name}\n${output ?? ''}`)),
  ].join('\n');
