import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deriveOwnerId } from '../../packages/agent-signal/scope-key.ts';
import { storeReceipts } from '../../packages/database/signal-receipts.ts';
import { storeRejection } from '../../packages/database/signal-rejections.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { createSignals, probeEvent } from '../agent-signal/signals.ts';
import type { Signals } from '../agent-signal/signals.ts';
import { createCli } from './cli.ts';
import type { Cli } from './cli.ts';

let rig: Rig;
let cli: Cli;
let signals: Signals;
let folder: string;

beforeAll(async () => {
  rig = await createRig();
  cli = createCli(rig, { STRATA_AGENT_SIGNAL: 'on' });
  signals = createSignals(rig);
  folder = await mkdtemp(join(tmpdir(), 'strata-signal-'));
});
afterAll(async () => {
  await rig.close();
  await rm(folder, { recursive: true, force: true });
});

const ownerId = (): string => deriveOwnerId({ userId: signals.user });
const signal = (...words: readonly string[]) => cli.json('signal', ...words, '--owner', signals.user);

describe('strata signal', () => {
  test('emit runs an event and says what came of it, status counts it, trace draws its chain', async () => {
    const { code, answer } = await signal('emit', JSON.stringify(probeEvent('e1', { actions: 1 })));
    expect(code).toBe(0);
    expect(answer).toMatchObject({ deduped: false, source: { sourceId: 'e1', type: 'probe.event' }, run: { status: 'completed' } });
    expect((await signal('status', 'topic:t1')).answer).toMatchObject({ scopeKey: 'topic:t1', done: 1, failed: 0 });
    const drawn = await cli.say('signal', 'trace', 'e1', '--owner', signals.user);
    expect(drawn.stdout).toContain('probe.event  e1  in topic:t1: done, completed');
    expect(drawn.stdout).toContain('└─ action.probe.write  e1:action:0');
    expect(drawn.stdout).toContain('└─ signal.action.applied  e1:action:0:result');
  });

  test('enqueue takes many events, one a line, each judged alone', async () => {
    const file = join(folder, 'events.ndjson');
    const lines = [probeEvent('n1'), { ...probeEvent('n2'), payload: { sleepMs: '5' } }, probeEvent('n3')];
    await writeFile(file, lines.map((line) => JSON.stringify(line)).join('\n'));
    const { code, documents } = await signal('enqueue', file);
    expect(code).toBe(2);
    expect(documents).toMatchObject([
      { accepted: true, sourceId: 'n1' },
      { type: 'InvalidInput', line: 2, error: expect.stringContaining('payload.sleepMs') },
      { accepted: true, sourceId: 'n3' },
    ]);
  });

  test('a failed event ends with 1, and a redrive runs it again', async () => {
    const { code, answer } = await signal('emit', JSON.stringify(probeEvent('bad', { failTimes: -1 }, { scopeKey: 'topic:bad' })));
    expect(code).toBe(1);
    expect(answer).toMatchObject({ run: { status: 'failed' } });
    expect((await signal('redrive', 'topic:bad', '--dry-run')).answer).toMatchObject({ redriven: 1, dryRun: true });
    expect((await signal('redrive', 'topic:bad')).answer).toMatchObject({ redriven: 1 });
    await signals.ended(1, 'topic:bad');
  });

  test('what nobody knows ends with 3, what is no event with 2, and both say what to do', async () => {
    expect(await signal('status', 'topic:none')).toMatchObject({ code: 3 });
    expect(await signal('trace', 'nobody')).toMatchObject({ code: 3 });
    const refused = await signal('enqueue', '{"sourceType":"probe.evnt","sourceId":"x","payload":{}}');
    expect(refused).toMatchObject({ code: 2, answer: { error: expect.stringContaining('unknown source type probe.evnt') } });
    expect(await signal('enqueue', join(folder, 'missing.json'))).toMatchObject({
      code: 2,
      answer: { error: expect.stringContaining('cannot be read') },
    });
  });

  test('an event whose identity is in two scopes is named by its scope', async () => {
    for (const scopeKey of ['topic:x', 'topic:y']) await signals.enqueue(probeEvent('same', {}, { scopeKey }));
    expect(await signal('trace', 'same')).toMatchObject({ code: 2, answer: { error: expect.stringContaining('probe.event in topic:x') } });
    expect(await signal('trace', 'same', '--scope', 'topic:x')).toMatchObject({ code: 0, answer: { scopeKey: 'topic:x' } });
  });

  test('receipts lists what was really written, newest first, and says no to a bad page', async () => {
    const receipt = (id: string) => ({ id, agentId: 'a1', topicId: 't1', kind: 'memory', status: 'applied', title: `Title ${id}` });
    for (const id of ['r1', 'r2', 'r3']) await storeReceipts(rig.db, ownerId(), [receipt(id)]);
    const { answer } = await signal('receipts', '--limit', '2');
    expect(answer).toMatchObject({ receipts: [{ id: 'r3' }, { id: 'r2' }], nextCursor: expect.any(String) });
    const { nextCursor } = answer as { nextCursor: string };
    expect((await signal('receipts', '--limit', '2', '--cursor', nextCursor)).answer).toMatchObject({ receipts: [{ id: 'r1' }], nextCursor: null });
    expect((await cli.say('signal', 'receipts', '--owner', signals.user)).stdout).toContain('memory applied  Title r3  (a1)');
    expect((await signal('receipts', '--agent', 'nobody')).answer).toMatchObject({ receipts: [] });
    for (const wrong of [
      ['--limit', '51'],
      ['--since', 'yesterday'],
      ['--cursor', 'nonsense'],
    ])
      expect(await signal('receipts', ...wrong)).toMatchObject({ code: 2 });
  });

  test('status shows the newest of what a scope refused', async () => {
    const scope = { ownerId: ownerId(), scopeKey: 'topic:refused' };
    await storeRejection(rig.db, {
      ...scope,
      runId: 'run',
      place: 1,
      reason: 'missing_field',
      path: 'sourceId',
      excerpt: '{"sourceType":"probe.event"}',
    });
    expect((await signal('status', 'topic:refused')).answer).toMatchObject({
      rejected: 1,
      rejections: [{ reason: 'missing_field', path: 'sourceId' }],
    });
    const { stdout } = await cli.say('signal', 'status', 'topic:refused', '--owner', signals.user);
    expect(stdout).toContain('rejected: missing_field at sourceId: {"sourceType":"probe.event"}');
  });
});
