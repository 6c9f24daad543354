import { Client, Connection } from '@temporalio/client';
import getPort from 'get-port';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { openGateway } from './gateway-calls.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { acceptedPerSecond: 1_000, emitWaitMs: 1_000 };

let rig: Rig;
let signals: Signals;

beforeEach(async () => {
  rig = await createRig({ workers: 0, replay: false });
  signals = createSignals(rig, LIMITS);
});
afterEach(() => rig.close());

const event = (sourceId: string) => probeEvent(sourceId, {}, { userId: signals.user });

/** A client whose server is away. */
const nowhere = async (): Promise<Client> => {
  // Without interceptors nothing is tried again.
  const connection = Connection.lazy({ address: `127.0.0.1:${await getPort()}`, interceptors: [] });
  onTestFinished(() => connection.close());
  return new Client({ connection, namespace: rig.namespace });
};

/** Has the database refuse, as one that goes down does, whatever the condition on the new row says. */
const refuse = (table: string, on: 'insert' | 'update', when: string) =>
  rig.pool.query(`
    create function go_down() returns trigger language plpgsql as $$ begin raise exception 'going down' using errcode = '57P01'; end $$;
    create trigger go_down before ${on} on ${table} for each row when (${when}) execute function go_down();`);

describe('an event whose wake cannot be sent', () => {
  test('is accepted all the same where the database is gone once its row is there', async () => {
    const { call, faults } = openGateway(rig, signals, { signals: { ...signals.deps, client: await nowhere() } });
    await refuse('signal_scopes', 'update', 'new.wake_at is null');
    expect(await call('/agent-signal/events', { body: event('m1') })).toMatchObject({ status: 202, body: { accepted: true, wake: 'deferred' } });
    expect(await call('/agent-signal/emit', { body: { ...event('m2'), scopeKey: 'topic:t2' } })).toMatchObject({
      status: 200,
      body: { run: { status: 'pending' } },
    });
    expect(await signals.count('signal_events')).toBe(2);
    expect(faults).toEqual([]);
  });
});

describe('a database that is away', () => {
  test('is a 503 that does not say whether the event was stored, and asks to send it again', async () => {
    const { call, faults } = openGateway(rig, signals);
    await refuse('signal_events', 'insert', 'true');
    const { status, retryAfter, body } = await call('/agent-signal/events', { body: event('m1') });
    expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '5' });
    expect(body['detail']).toContain('send it again');
    expect(body['detail']).not.toContain('nothing was stored');
    expect(faults).toHaveLength(1);
  });

  test('is told event by event in a batch, with when to come back, and every fault reaches the log', async () => {
    const { call, faults } = openGateway(rig, signals);
    await refuse('signal_events', 'insert', "new.source_id like 'bad%'");
    const { status, body } = await call('/agent-signal/events', { body: [event('bad1'), event('m1'), event('bad2')] });
    expect(status).toBe(202);
    const away = { accepted: false, status: 503, type: 'DatabaseUnavailable', retryAfterSeconds: 5 };
    expect(body['results']).toMatchObject([away, { accepted: true }, away]);
    expect(faults).toHaveLength(2);
  });
});

describe('a run that nobody answers for', () => {
  test('is there, and a control of it is to be sent again', async () => {
    const { call } = openGateway(rig, signals);
    expect(await call('/pipelines/probe/runs', { body: { set: 'idle' } })).toMatchObject({ status: 202 });
    expect(await call('/pipelines/probe/runs/idle/pause', { body: '' })).toMatchObject({
      status: 503,
      retryAfter: '5',
      body: { title: 'Unavailable', detail: expect.stringContaining('no worker answered') },
    });
    expect(await call('/pipelines/probe/runs/none/pause', { body: '' })).toMatchObject({ status: 404, body: { title: 'NotFound' } });
  });

  test('is not unknown because Temporal is away', async () => {
    const { call } = openGateway(rig, signals, { pipelines: createPipelineClient({ ...rig, client: await nowhere() }) });
    expect(await call('/pipelines/probe/runs/idle/pause', { body: '' })).toMatchObject({ status: 503, retryAfter: '5' });
    expect(await call('/pipelines/probe/runs/idle')).toMatchObject({ status: 503, retryAfter: '5', body: { title: 'Unavailable' } });
    expect(await call('/pipelines/probe/runs', { body: { set: 'idle' } })).toMatchObject({ status: 503 });
  });
});

describe('text that no column can hold', () => {
  test('is refused in an address, a query and an envelope, wherever it stands', async () => {
    const { call, faults } = openGateway(rig, signals);
    const own = `userId=${signals.user}`;
    for (const path of [
      `/agent-signal/scopes/%00?${own}`,
      `/agent-signal/traces/probe.event/m%00?${own}`,
      `/agent-signal/traces/probe.event/m1?${own}&scopeKey=topic:%00`,
      `/agent-signal/receipts?${own}&agentId=%00`,
      '/agent-signal/receipts?userId=u%00',
      '/pipelines/probe/runs/%00',
      '/pipelines/probe/runs/none/failures?after=%00',
    ])
      expect(await call(path), path).toMatchObject({ status: 400, body: { title: 'InvalidInput' } });
    expect(await call(`/agent-signal/scopes/%2500?${own}`)).toMatchObject({ status: 404 });
    for (const scopeKey of ['topic:a\0', 'topic:\uD83D', `topic:${'\u{1F600}'.repeat(300)}`])
      expect(await call('/agent-signal/events', { body: { ...event('m1'), scopeKey } })).toMatchObject({
        status: 400,
        body: { problems: [{ path: 'scopeKey' }] },
      });
    expect(await signals.count('signal_events')).toBe(0);
    expect(faults).toEqual([]);
  });

  test('is replaced in a payload, in free JSON, too', async () => {
    const { call } = openGateway(rig, signals);
    const payload = { message: 'a\0', messageId: 'm1', documentPayload: { 'k\0': 'a\uD83D' } };
    const sent = { sourceType: 'agent.user.message', sourceId: 'm1', userId: signals.user, scopeKey: 'topic:t1', payload };
    expect(await call('/agent-signal/events', { body: sent })).toMatchObject({ status: 202 });
    expect((await signals.event('m1')).payload).toMatchObject({ message: 'a\uFFFD', documentPayload: { 'k\uFFFD': 'a\uFFFD' } });
  });
});
