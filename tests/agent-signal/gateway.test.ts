import { once } from 'node:events';
import { get } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Webhook } from 'standardwebhooks';
import { writeFlag } from '../../packages/database/agents.ts';
import { createProbeRuns } from '../../packages/testing/probe-runs.ts';
import { createRig } from '../../packages/testing/rig.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import { hashOf, openGateway, SECRETS } from './gateway-calls.ts';
import type { TestGateway } from './gateway-calls.ts';
import { createSignals, probeEvent } from './signals.ts';
import type { Signals } from './signals.ts';

const LIMITS = { idleMs: 1_000, acceptedPerSecond: 1_000 };

let rig: Rig;
let signals: Signals;
let gateway: TestGateway;

beforeEach(async () => {
  rig = await createRig({ signalLimits: LIMITS });
  signals = createSignals(rig, LIMITS);
  gateway = openGateway(rig, signals);
});
afterEach(async () => {
  await rig.close();
  expect(gateway.faults).toEqual([]);
});

const call: TestGateway['call'] = (path, given) => gateway.call(path, given);
const event = (sourceId: string, payload: object = {}) => probeEvent(sourceId, payload, { userId: signals.user });

describe('the server door', () => {
  test('takes an event, or up to a hundred, each judged alone', async () => {
    expect(await call('/agent-signal/events', { body: event('m1') })).toMatchObject({ status: 202, body: { accepted: true, scopeKey: 'topic:t1' } });
    const { status, body } = await call('/agent-signal/events', { body: [event('m2'), { ...event('m3'), sourceType: 'probe.evnt' }, event('m2')] });
    expect(status).toBe(202);
    expect(body['results']).toMatchObject([
      { accepted: true },
      { accepted: false, status: 400, type: 'InvalidInput' },
      { accepted: true, deduped: true },
    ]);
    expect(await call('/agent-signal/events', { body: Array.from({ length: 101 }, () => event('m')) })).toMatchObject({ status: 413 });
  });

  test('runs an event now, and a switched-off user is a polite no', async () => {
    expect(await call('/agent-signal/emit', { body: event('m1', { actions: 1 }) })).toMatchObject({
      status: 200,
      body: { deduped: false, run: { status: 'completed' } },
    });
    await writeFlag(rig.db, { userId: signals.user, flag: 'enableAgentSelfIteration', isOn: false });
    expect(await call('/agent-signal/emit', { body: event('m2') })).toMatchObject({ status: 200, body: { accepted: false, scopeKey: 'topic:t1' } });
  });

  test('shows scope and trace of an owner, and nothing of another', async () => {
    await call('/agent-signal/emit', { body: event('m1', { actions: 1 }) });
    const query = `?userId=${signals.user}`;
    expect(await call(`/agent-signal/scopes/${encodeURIComponent('topic:t1')}${query}`)).toMatchObject({ status: 200, body: { done: 1 } });
    expect(await call(`/agent-signal/traces/probe.event/m1${query}`)).toMatchObject({ status: 200, body: { state: 'done', nodes: [{}, {}] } });
    expect(await call(`/agent-signal/scopes/topic:t1?userId=somebody`)).toMatchObject({ status: 404, type: 'application/problem+json' });
    expect(await call(`/agent-signal/scopes/topic:t1?userId=somebody`, { token: 'user-token' })).toMatchObject({ status: 200, body: { done: 1 } });
  });

  test("a user's token asks for nobody else's data, whatever its query says", async () => {
    const workspace = { ...event('w1'), workspaceId: 'w' };
    await call('/agent-signal/emit', { body: workspace });
    const path = '/agent-signal/scopes/topic:t1?workspaceId=w';
    expect(await call(path)).toMatchObject({ status: 200, body: { ownerId: 'ws:w', done: 1 } });
    expect(await call(path, { token: 'user-token' })).toMatchObject({ status: 404 });
    expect(await call('/agent-signal/traces/probe.event/w1?workspaceId=w', { token: 'user-token' })).toMatchObject({ status: 404 });
  });

  test('a service that is bound to a user or a workspace speaks for it without saying so, and for nobody else', async () => {
    const tokens = [
      { hash: hashOf('of-user'), kind: 'service', userId: signals.user },
      { hash: hashOf('of-workspace'), kind: 'service', workspaceId: 'w' },
    ] as const;
    const bound = openGateway(rig, signals, { callers: { tokens, webhookSecrets: [], defaultUser: 'local' } });
    const [user, workspace] = [{ token: 'of-user' }, { token: 'of-workspace' }];
    expect(await bound.call('/agent-signal/emit', { ...user, body: probeEvent('m1') })).toMatchObject({ status: 200 });
    expect(await bound.call('/agent-signal/emit', { ...workspace, body: event('m1') })).toMatchObject({ status: 200 });
    const path = '/agent-signal/scopes/topic:t1';
    expect(await bound.call(path, user)).toMatchObject({ status: 200, body: { ownerId: signals.user } });
    expect(await bound.call(`${path}?userId=anybody`, workspace)).toMatchObject({ status: 200, body: { ownerId: 'ws:w' } });
    const foreign = { status: 403, body: { title: 'Forbidden' } };
    expect(await bound.call('/agent-signal/events', { ...user, body: { ...event('m2'), userId: 'another' } })).toMatchObject(foreign);
    expect(await bound.call('/agent-signal/events', { ...workspace, body: { ...event('m2'), workspaceId: 'v' } })).toMatchObject(foreign);
    for (const named of ['userId=another', 'workspaceId=w']) expect(await bound.call(`${path}?${named}`, user)).toMatchObject(foreign);
    expect(await bound.call('/agent-signal/receipts?workspaceId=v', workspace)).toMatchObject(foreign);
    expect(await call(`${path}?userId=%20`)).toMatchObject({ status: 400, body: { problems: [{ path: 'userId' }] } });
  });

  test('refuses with a problem that names the field', async () => {
    expect(await call('/agent-signal/events', { body: event('m1', { sleepMs: '5' }) })).toMatchObject({
      status: 400,
      type: 'application/problem+json',
      body: { title: 'InvalidInput', status: 400, problems: [{ path: 'payload.sleepMs' }] },
    });
    expect(await call('/agent-signal/events', { body: 'no json' })).toMatchObject({ status: 400 });
    expect(await call('/agent-signal/events', { body: event('m1', { sleepMs: 1, text: 'x'.repeat(300_000) }) })).toMatchObject({ status: 413 });
  });
});

describe('users', () => {
  const start = { sourceType: 'client.runtime.start', sourceId: 'op1:client.runtime.start', payload: { operationId: 'op1', topicId: 't1' } };

  test('D4: a browser sends its six types by its own door and names no scope', async () => {
    const token = 'user-token';
    expect(await call('/agent-signal/client-events', { token, body: start })).toMatchObject({
      status: 202,
      body: { accepted: true, scopeKey: 'topic:t1' },
    });
    const message = { sourceType: 'agent.user.message', sourceId: 'm1', payload: { message: 'hi', messageId: 'm1' } };
    expect(await call('/agent-signal/client-events', { token, body: message })).toMatchObject({
      status: 403,
      body: { title: 'SourceTypeNotAllowed' },
    });
    expect(await call('/agent-signal/client-events', { token, body: { ...start, scopeKey: 'topic:t2' } })).toMatchObject({
      status: 400,
      body: { problems: [{ path: 'scopeKey' }] },
    });
    expect(await call('/agent-signal/triggers', { token, body: { ...message, userId: 'another' } })).toMatchObject({
      status: 400,
      body: { problems: [{ path: 'userId' }] },
    });
    expect(await call('/agent-signal/triggers', { token, body: message })).toMatchObject({ status: 202 });
    expect(await call('/agent-signal/events', { token, body: start })).toMatchObject({ status: 403 });
  });
});

describe('callers', () => {
  const signed = (secret: string, at: Date, body: string) => {
    const id = 'msg_1';
    const signature = new Webhook(secret).sign(id, at, body);
    return { 'webhook-id': id, 'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)), 'webhook-signature': signature };
  };
  const post = (headers: Record<string, string>, body: string) => call('/agent-signal/events', { token: '', headers, body });

  test('nobody else gets in', async () => {
    for (const token of ['', 'wrong', 'service-token '.repeat(2)])
      expect(await call('/agent-signal/events', { token, body: event('m1') })).toMatchObject({ status: 401, body: { error: 'Invalid signature' } });
    expect(await signals.count('signal_events')).toBe(0);
  });

  test('a webhook is signed by the current key or the next, over its exact body, within five minutes', async () => {
    const body = JSON.stringify(event('m1'));
    for (const secret of SECRETS) expect(await post(signed(secret, new Date(), body), body)).toMatchObject({ status: 202 });
    expect(await post(signed(SECRETS[0] as string, new Date(), body), `${body} `)).toMatchObject({ status: 401 });
    expect(await post(signed(SECRETS[0] as string, new Date(Date.now() - 600_000), body), body)).toMatchObject({ status: 401 });
    expect(await post(signed(SECRETS[0] as string, new Date(), 'no json'), 'no json')).toMatchObject({
      status: 400,
      body: { problems: [{ code: 'invalid_json' }] },
    });
    expect(await post(signed('whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', new Date(), body), body)).toMatchObject({ status: 401 });
  });
});

describe('pipelines', () => {
  test('a run is started, looked at and aborted over HTTP', async () => {
    const runs = createProbeRuns(rig);
    await runs.seed('http', 200, { sleepMs: 200 });
    const started = await call('/pipelines/probe/runs', { body: { set: 'http', maxConcurrency: 5 } });
    expect(started).toMatchObject({ status: 202, body: { workflowId: 'probe/http', joined: false } });
    expect(await call('/pipelines/probe/runs', { body: { set: 'http', maxConcurrency: 5 } })).toMatchObject({ status: 202, body: { joined: true } });
    expect(await call('/pipelines/probe/runs', { body: { set: 'http', maxConcurrency: 6 } })).toMatchObject({
      status: 409,
      body: { title: 'Conflict', detail: expect.stringContaining('another request') },
    });
    await runs.progressed(started.body as never, 'items in flight', ({ inFlight }) => inFlight > 0);
    expect(await call('/pipelines/probe/runs/http')).toMatchObject({ status: 200, body: { state: 'running' } });
    expect(await call('/pipelines/probe/runs/http/abort', { body: { reason: 'trial' } })).toMatchObject({ status: 200, body: { accepted: true } });
    await runs.result(started.body as never);
    expect(await call('/pipelines/probe/runs/http/pause', { body: {} })).toMatchObject({ status: 409 });
    expect(await call('/pipelines/probe/runs/http/pause', { body: { reason: 5 } })).toMatchObject({
      status: 400,
      body: { problems: [{ path: 'reason' }] },
    });
    expect(await call('/pipelines/probe/runs/http/pause', { body: { why: 'x' } })).toMatchObject({
      status: 400,
      body: { problems: [{ path: 'why' }] },
    });
    expect(await call('/pipelines/probe/runs/none/pause', { body: '' })).toMatchObject({ status: 404 });
    expect(await call('/pipelines/probe/runs/none')).toMatchObject({ status: 404 });
    expect(await call('/pipelines/prob/runs', { body: {} })).toMatchObject({ status: 404 });
    expect(await call('/pipelines/probe/runs', { body: { set: 15 } })).toMatchObject({ status: 400 });
    expect(await call('/pipelines/probe/runs', { token: 'user-token', body: { set: 'http' } })).toMatchObject({ status: 403 });
  });
});

test('what nothing answers is a problem that points to the document', async () => {
  expect(await call('/openapi.json', { token: '' })).toMatchObject({ status: 200 });
  expect(await call('/nowhere')).toMatchObject({ status: 404, type: 'application/problem+json' });
});

describe('a gateway that is open on the loopback address', () => {
  const open = () => openGateway(rig, signals, { callers: { tokens: [], webhookSecrets: [], defaultUser: signals.user } }).app;

  test('takes no call that the page of another site has made', async () => {
    const send = (origin?: string) =>
      open().request('/agent-signal/events', {
        method: 'POST',
        body: JSON.stringify(event('m1')),
        headers: { 'content-type': 'text/plain', ...(origin === undefined ? {} : { origin }) },
      });
    expect((await send('https://elsewhere.example')).status).toBe(401);
    expect((await send('null')).status).toBe(401);
    expect((await send('http://localhost:3000')).status).toBe(202);
    expect((await send()).status).toBe(202);
  });

  test('answers for whom its caller asks, and for the default user where nobody is named', async () => {
    await call('/agent-signal/emit', { body: { ...event('m1'), userId: 'somebody' } });
    const ask = async (query: string) => (await open().request(`/agent-signal/scopes/topic:t1${query}`)).json();
    expect(await ask('?userId=somebody')).toMatchObject({ ownerId: 'somebody', done: 1 });
    expect(await ask('')).toMatchObject({ status: 404 });
  });

  test('answers under its own names only, so that no other name that points to it is one', async () => {
    const server = serve({ fetch: open().fetch, hostname: '127.0.0.1', port: 0 });
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ask = async (host: string): Promise<number | undefined> => {
      const [answer] = (await once(get({ port, path: '/pipelines', headers: { host } }), 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    for (const host of ['elsewhere.example', `elsewhere.example:${port}`, 'localhost.elsewhere.example']) expect(await ask(host), host).toBe(401);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) expect(await ask(host), host).toBe(200);
    server.close();
    await once(server, 'close');
  });
});
