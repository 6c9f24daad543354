import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One file's text before (null: it must not exist) and after; the path is from the root. */
export interface FileChange {
  readonly path: string;
  readonly before: string | null;
  readonly after: string;
}

/** Writes all changes or none: each text is staged beside its place, then all are moved there; a failure takes back what was moved. */
export const writeFiles = (root: string, changes: readonly FileChange[]): void => {
  const staged = changes.map((change) => ({ ...change, path: join(root, change.path), stage: `${join(root, change.path)}.${process.pid}.new` }));
  const moved: typeof staged = [];
  try {
    for (const { stage, after } of staged) writeFileSync(stage, after, { flag: 'wx' });
    for (const change of staged) {
      // A link, unlike a rename, refuses a place that somebody took meanwhile.
      if (change.before === null) linkSync(change.stage, change.path);
      else renameSync(change.stage, change.path);
      moved.push(change);
    }
  } catch (error) {
    for (const { path, before } of moved) {
      if (before === null) rmSync(path);
      else writeFileSync(path, before);
    }
    throw error;
  } finally {
    for (const { stage } of staged) rmSync(stage, { force: true });
  }
};
