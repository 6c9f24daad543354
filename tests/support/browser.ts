import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import type { BrowserContext, Page } from 'playwright-core';

const WIDTH = 1_440;
const HEIGHT = 1_000;

// It has no business outside this machine, and root may run it only without its sandbox.
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/** A headless browser with a profile of its own. */
export interface TestBrowser {
  readonly page: Page;
  close(): Promise<void>;
}

/** Starts the system's Chromium from this path. */
export async function openBrowser(executablePath: string): Promise<TestBrowser> {
  const profile = await mkdtemp(join(tmpdir(), 'strata-browser-'));
  const context: BrowserContext = await chromium.launchPersistentContext(profile, {
    executablePath,
    headless: true,
    args: ARGUMENTS,
    viewport: { width: WIDTH, height: HEIGHT },
    timezoneId: 'UTC',
    locale: 'en-US',
  });
  const close = async (): Promise<void> => {
    await context.close();
    await rm(profile, { recursive: true, force: true });
  };
  return { page: context.pages()[0] ?? (await context.newPage()), close };
}
