import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const partSchema = z.strictObject({
  name: z.string(),
  pid: z.number(),
  /** Words of its command line, by which it is recognised before anybody ends it. */
  words: z.array(z.string()).min(1),
});
const stackSchema = z.strictObject({
  pid: z.number(),
  startedAt: z.string(),
  dataDir: z.string(),
  temporalAddress: z.string(),
  namespace: z.string(),
  uiUrl: z.string().nullable(),
  gatewayUrl: z.string().nullable(),
  databaseUrl: z.string(),
  parts: z.array(partSchema),
});

/** One process of a stack. */
export type StackPart = z.infer<typeof partSchema>;

/** What `stack.json` says of a running stack. */
export type StackFile = z.infer<typeof stackSchema>;

/** Path of the file that says which stack runs on a data folder. */
export function stackFilePath(dataDir: string): string {
  return join(dataDir, 'stack.json');
}

/** The stack of a data folder; undefined if there is no file or not one of this version's shape. */
export async function readStackFile(dataDir: string): Promise<StackFile | undefined> {
  const text = await readFile(stackFilePath(dataDir), 'utf8').catch(() => '{}');
  try {
    return stackSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** Replaces the file in one step; only its owner may read it, since it holds the database's password. */
export async function writeStackFile(stack: StackFile): Promise<void> {
  await mkdir(stack.dataDir, { recursive: true });
  const path = stackFilePath(stack.dataDir);
  await writeFile(`${path}.new`, `${JSON.stringify(stack, null, 2)}\n`, { mode: 0o600 });
  await rename(`${path}.new`, path);
}

/** Removes the file; it may be gone already. */
export async function removeStackFile(dataDir: string): Promise<void> {
  await rm(stackFilePath(dataDir), { force: true });
}
