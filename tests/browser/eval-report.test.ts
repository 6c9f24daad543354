import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CaseResult } from '../../packages/contracts/eval-result.ts';
import { buildReport } from '../../packages/evals/report.ts';
import { renderReportHtml } from '../../packages/evals/report-html.ts';
import { findChromium } from '../../scripts/checks/chromium.ts';
import { openBrowser } from '../support/browser.ts';
import type { TestBrowser } from '../support/browser.ts';

const executablePath = findChromium(process.env);
let folder: string;
let browser: TestBrowser | undefined;
const faults: string[] = [];
const requests: string[] = [];

function makeCase(seq: number): CaseResult {
  const isPassed = seq % 4 !== 0;
  const output = `<img src=x onerror="document.title='hacked'">${seq}`;
  const grading = [{ type: 'equals', score: Number(isPassed), reason: `reason ${seq}` }];
  const verdict = {
    status: isPassed ? ('passed' as const) : ('failed' as const),
    score: Number(isPassed),
    k: 1,
    latencyMs: seq * 10,
    totals: {},
    output,
    grading,
  };
  const metadata = { category: seq % 2 === 0 ? 'even' : 'odd' };
  return { seq, caseId: `case-${seq}`, state: verdict.status, question: `question ${seq}`, expected: `equals: ${seq}`, metadata, verdict };
}

beforeAll(async () => {
  if (executablePath === undefined) return;
  folder = await mkdtemp(join(tmpdir(), 'strata-report-'));
  const cases = Array.from({ length: 120 }, (_, index) => makeCase(index + 1));
  const times = { createdAt: '2026-12-01T00:00:00.000Z', startedAt: '2026-12-01T00:00:00.000Z', finishedAt: '2026-12-01T00:00:09.000Z' };
  const run = { id: 'r1', benchmark: 'shown', target: 'module bundled', status: 'completed' as const, k: 1, passThreshold: 0.6, ...times };
  await writeFile(join(folder, 'report.html'), renderReportHtml(buildReport(run, cases)));
  browser = await openBrowser(executablePath);
  browser.page.on('pageerror', (error) => faults.push(error.message));
  browser.page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
  browser.page.on('request', (request) => requests.push(request.url()));
});

afterAll(async () => {
  await browser?.close();
  if (executablePath !== undefined) await rm(folder, { recursive: true });
});

test.skipIf(executablePath === undefined)(
  'the report page shows rate and charts, filters, searches and opens a case, and loads nothing',
  async () => {
    const page = browser?.page;
    if (page === undefined) throw new Error('no browser');
    await page.goto(pathToFileURL(join(folder, 'report.html')).href);
    expect(await page.textContent('.rate')).toContain('75 %');
    expect(await page.getByRole('img', { name: /^Cases by score\. 0\.0 to 0\.1: 30; 0\.9 to 1\.0: 90$/ }).isVisible()).toBe(true);
    expect(await page.getByRole('img', { name: /^Cases by latency/ }).isVisible()).toBe(true);
    const found = page.getByRole('status');
    expect(await found.textContent()).toBe('120 cases');
    expect(await page.locator('tr.case').count()).toBe(50);
    await page.getByRole('button', { name: 'show more' }).click();
    expect(await page.locator('tr.case').count()).toBe(120);
    await page.getByRole('button', { name: 'failed 30', exact: true }).click();
    expect(await found.textContent()).toBe('30 of 120 cases');
    await page.getByRole('button', { name: /^odd/ }).click();
    expect(await found.textContent()).toBe('0 of 120 cases');
    await page.getByRole('button', { name: /^odd/ }).click();
    await page.getByRole('searchbox').fill('question 88');
    expect(await found.textContent()).toBe('1 of 120 cases');
    await page.getByRole('button', { name: 'case-88' }).press('Enter');
    expect(await page.locator('tr.detail').textContent()).toContain('equals: reason 88');
    expect(await page.title()).toBe('shown: 75 % passed');
    expect(requests.filter((url) => !url.startsWith('file:') && !url.startsWith('data:'))).toEqual([]);
    expect(faults).toEqual([]);
  },
);
