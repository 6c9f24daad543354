import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the checkout. */
export const REPOSITORY_ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** The registry file that the workflow bundler reads; named here because the rooms outside the sandbox may not import it. */
export const WORKFLOWS_PATH = join(REPOSITORY_ROOT, 'workflows/index.ts');

/** The payload converter that clients, workers and the bundle share. */
export const PAYLOAD_CONVERTER_PATH = join(REPOSITORY_ROOT, 'packages/durable/payload-converter.ts');

/** Interceptors that the bundle holds beside the workflows: they hand trace contexts on. */
export const TRACE_INTERCEPTORS_PATH = join(REPOSITORY_ROOT, 'packages/durable/trace-interceptors.ts');

/** Folder of what set-up fetched; shared by every stack of this checkout. */
export const BINARY_CACHE = join(REPOSITORY_ROOT, '.strata/bin');

/** Folder of a stack's data: the given one (`~` allowed), else `.strata` in the checkout. */
export function resolveDataDir(given: string | undefined): string {
  if (given === undefined) return join(REPOSITORY_ROOT, '.strata');
  return resolve(given.replace(/^~(?=$|\/)/, homedir()));
}
