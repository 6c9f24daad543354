import { existsSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CatalogEntry } from './binary-catalog.ts';

/** The downloaded file, or why there is none. */
export interface SdkDownload {
  readonly path?: string;
  readonly reason: string;
}

/** Downloads a Temporal program the only way the SDK offers: it starts the program once from its download folder. */
export async function downloadWithSdk(entry: CatalogEntry, downloadDir: string): Promise<SdkDownload> {
  const executable = { type: 'cached-download', version: `v${entry.version}`, downloadDir } as const;
  try {
    await mkdir(downloadDir, { recursive: true });
    const { TestWorkflowEnvironment } = await import('@temporalio/testing'); // heavy, and needed by the first set-up only
    const environment =
      entry.program === 'temporal'
        ? await TestWorkflowEnvironment.createLocal({ server: { executable } })
        : await TestWorkflowEnvironment.createTimeSkipping({ server: { executable } });
    await environment.teardown();
  } catch (error) {
    return { reason: (error instanceof Error ? error.message : String(error)).split('\n')[0]?.slice(0, 120) ?? '' };
  }
  const name = (await readdir(downloadDir)).find((file) => file.startsWith('temporal'));
  const path = join(downloadDir, name ?? 'temporal');
  return existsSync(path) ? { path, reason: '' } : { reason: 'its download folder is empty' };
}
