import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { itemFailure } from '../../activities/runner/failures.ts';
import { STRATA_QUEUE } from '../../packages/contracts/queues.ts';
import type { StartAnswer } from '../../packages/runtime/pipeline-client.ts';
import { waitUntil } from '../../packages/runtime/wait-until.ts';
import { findChromium } from '../../scripts/checks/chromium.ts';
import { createTrialRig, itemName } from '../pipelines/trial.ts';
import type { TrialRig } from '../pipelines/trial.ts';
import { openBrowser } from '../support/browser.ts';
import type { TestBrowser } from '../support/browser.ts';

const LOOKED_FOR_MS = 60_000;
const ODD_SCOPE = 'org/42?x=1#f';
const BROKEN = itemName(27);

const executablePath = findChromium(process.env);
let browser: TestBrowser | undefined;
let trial: TrialRig | undefined;
let run: StartAnswer;
let odd: StartAnswer;

beforeAll(async () => {
  if (executablePath === undefined) return;
  trial = await createTrialRig({}, { taskQueue: STRATA_QUEUE });
  trial.declare('customers', {
    items: 110,
    plan: { pageSize: 100, maxConcurrency: 20 },
    execute: async ({ itemId }) => {
      await delay(20 + (Number(itemId.slice(2)) % 7) * 20);
      if (itemId === BROKEN) throw itemFailure('ProviderRefused', 'the provider answered 400');
      return { kind: 'done' };
    },
  });
  trial.declare(ODD_SCOPE, { items: 2 });
  run = await trial.start('customers');
  odd = await trial.start(ODD_SCOPE);
  await Promise.all([run, odd].map((started) => trial?.pipelines.result(started)));
  browser = await openBrowser(executablePath);
}, 120_000);

afterAll(async () => {
  await browser?.close();
  await trial?.rig.close();
});

beforeEach(({ skip }) => {
  if (executablePath === undefined) skip('no Chromium: install one or set CHROMIUM_PATH');
});

const workflowsUrl = (): string => `${inject('strata').temporalUiUrl}/namespaces/${trial?.rig.namespace ?? 'default'}/workflows`;
const runUrl = ({ workflowId, runId }: StartAnswer, tab: string): string => `${workflowsUrl()}/${encodeURIComponent(workflowId)}/${runId}/${tab}`;

async function open(url: string): Promise<Page> {
  if (browser === undefined) throw new Error('the browser did not start');
  await browser.page.goto(url, { timeout: LOOKED_FOR_MS });
  return browser.page;
}

/** Waits until a person can read the text; throws with the page's own text where nobody can. */
async function expectText(page: Page, text: string | RegExp): Promise<void> {
  await page
    .getByText(text)
    .filter({ visible: true })
    .first()
    .waitFor({ timeout: LOOKED_FOR_MS })
    .catch(async (cause: unknown) => {
      throw new Error(`${page.url()} does not show ${String(text)}, but:\n${await page.innerText('body')}`, { cause });
    });
}

/** Like `expectText`, for what the UI renders from markdown: it shows that in frames. */
async function expectTextInFrame(page: Page, text: string): Promise<void> {
  const read = async (): Promise<string> => (await Promise.all(page.frames().map((frame) => frame.innerText('body')))).join('\n');
  await waitUntil({ what: `"${text}" in a frame`, timeoutMs: LOOKED_FOR_MS, everyMs: 500, probe: async () => (await read()).includes(text) });
}

/** For the README: `STRATA_SCREENSHOT=docs/images/temporal-ui.png npx vitest run --project browser`. */
async function keepScreenshot(page: Page): Promise<void> {
  const path = process.env['STRATA_SCREENSHOT'];
  if (!path) return;
  await page.setViewportSize({ width: 1_440, height: 1_340 });
  await page.screenshot({ path, animations: 'disabled' });
}

describe('in the Temporal UI a person sees', { timeout: 180_000 }, () => {
  test('the run with its type, its status and its result', async () => {
    const page = await open(runUrl(run, 'timeline'));
    await expectText(page, 'probe/customers');
    await expectText(page, 'COMPLETED');
    await expectText(page, /completedWithFailures/);
    await expectText(page, /Processed 110 items, 1 failed/);
    await expectText(page, 'page 1 · chunk 2 · 20 items');
    await keepScreenshot(page);
  });

  test('its chunks and its own items by their summaries', async () => {
    const page = await open(runUrl(run, 'history'));
    // A hundred events a page, the newest first; a run tells first what it starts.
    await page.getByText('Descending').click();
    await expectText(page, 'Ascending');
    for (const chunk of [1, 2, 3, 4, 5]) await expectText(page, `page 1 · chunk ${chunk} · 20 items`);
    await expectText(page, `probe:execute:${itemName(101)}`);
  });

  test("an item's id on its activity, and why it failed", async () => {
    const page = await open(`${workflowsUrl()}/${encodeURIComponent('probe/customers/e1/1/2')}`);
    await expectText(page, 'pipelineChunk');
    await expectText(page, `probe:execute:${BROKEN}`);
    await page.getByText(`probe:execute:${BROKEN}`).first().click();
    await expectText(page, /the provider answered 400/);
  });

  test('the progress table in its current details', async () => {
    const page = await open(runUrl(run, 'user-metadata'));
    for (const text of ['probe · customers', '110 of 110 items (100 %)', '2 · 5 · 10']) await expectTextInFrame(page, text);
  });

  test('the runs and chunks of one pipeline, by its search attribute', async () => {
    const query = encodeURIComponent('StrataPipeline="probe" AND StrataScope="customers"');
    const page = await open(`${workflowsUrl()}?query=${query}`);
    await expectText(page, '6 Workflows');
    for (const chunk of [1, 2, 3, 4, 5]) await expectText(page, `probe/customers/e1/1/${chunk}`);
    expect(await page.getByText(odd.workflowId).count()).toBe(0);
  });

  test('B9: a run whose scope has odd characters, opened by its link in the list', async () => {
    const page = await open(`${workflowsUrl()}?query=${encodeURIComponent(`WorkflowId="${odd.workflowId}"`)}`);
    await page.getByRole('link', { name: odd.workflowId }).first().click({ timeout: LOOKED_FOR_MS });
    await expectText(page, /Processed 2 items/);
    await page.getByText('Memo', { exact: true }).first().click({ timeout: LOOKED_FOR_MS });
    await expectText(page, ODD_SCOPE);
  });
});
