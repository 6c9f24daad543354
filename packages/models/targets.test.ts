import { afterEach, describe, expect, test } from 'vitest';
import type { TargetConfig } from '../contracts/eval-run.ts';
import { targetConfigSchema } from '../contracts/eval.schema.ts';
import { createTarget, describeTarget } from './create-target.ts';
import { chatCompletion, startTestServer } from './test-server.ts';
import type { TestAnswer, TestServer } from './test-server.ts';

const servers: TestServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

async function serve(answer: TestAnswer | (() => TestAnswer)): Promise<TestServer> {
  const server = await startTestServer(() => (typeof answer === 'function' ? answer() : answer));
  servers.push(server);
  return server;
}

const messages = [
  { role: 'system' as const, content: 'be brief' },
  { role: 'user' as const, content: 'why?' },
];
const ask = (config: TargetConfig, { signal = new AbortController().signal, environment = {} } = {}) =>
  createTarget(config, environment).answer({ messages, idempotencyKey: 'run/case/r0/k0', signal });
const openai = (server: TestServer, extra: object = {}) => ({ kind: 'openai', baseUrl: `${server.url}/v1/`, model: 'tiny', ...extra }) as const;
const agent = (server: TestServer, extra: object = {}) => ({ kind: 'http', url: `${server.url}/ask`, ...extra }) as const;

describe('an OpenAI-compatible target', () => {
  test('sends messages, key and idempotency key by the protocol and reads text, tokens and cost', async () => {
    const server = await serve(chatCompletion('because'));
    const config = openai(server, {
      apiKeyEnv: 'THE_KEY',
      system: 'you are a judge',
      temperature: 0,
      maxOutputTokens: 50,
      price: { inputPerMillion: 1, outputPerMillion: 2 },
    });
    const answer = await ask(config, { environment: { THE_KEY: ' s3cret ' } });
    expect(answer).toEqual({ output: 'because', tokens: 17, costUsd: 22 / 1e6, steps: 1, calls: 1 });
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer s3cret', 'idempotency-key': 'run/case/r0/k0' },
      body: {
        model: 'tiny',
        temperature: 0,
        max_tokens: 50,
        messages: [
          { role: 'system', content: 'you are a judge\n\nbe brief' },
          { role: 'user', content: 'why?' },
        ],
      },
    });
  });

  test('needs no key where none is named, and is refused for good where the named one is missing', async () => {
    const server = await serve(chatCompletion('x'));
    await ask(openai(server));
    expect(server.seen[0]?.headers.authorization).toBeUndefined();
    await expect(ask(openai(server, { apiKeyEnv: 'NOT_SET' }))).rejects.toMatchObject({
      type: 'ProviderRefused',
      retryable: false,
      message: expect.stringContaining('NOT_SET'),
    });
    expect(server.seen).toHaveLength(1);
  });

  test('is InvalidOutput when the answer is not the protocol', async () => {
    for (const body of ['<html>', { hello: 1 }]) {
      await expect(ask(openai(await serve({ body })))).rejects.toMatchObject({ type: 'InvalidOutput' });
    }
  });
});

describe('a JSON-over-HTTP agent', () => {
  test('is POSTed messages and key, and answers a text or an object with figures', async () => {
    const server = await serve({ body: { output: 'so', tokens: 9, costUsd: 0.01, steps: 2, calls: 3, toolCalls: 1, debug: 'own' } });
    expect(await ask(agent(server, { apiKeyEnv: 'K' }), { environment: { K: 'k' } })).toEqual({
      output: 'so',
      tokens: 9,
      costUsd: 0.01,
      steps: 2,
      calls: 3,
      toolCalls: 1,
    });
    expect(server.seen[0]).toMatchObject({
      path: '/ask',
      headers: { authorization: 'Bearer k', 'idempotency-key': 'run/case/r0/k0' },
      body: { messages, idempotencyKey: 'run/case/r0/k0' },
    });
    expect(await ask(agent(await serve({ body: JSON.stringify('plain') })))).toEqual({ output: 'plain' });
  });

  test.each([[{ output: 7 }], [{ text: 'x' }], [[]], ['no json'], [{ output: 'x', tokens: -1 }], ['"'.padEnd(5_000_000, 'x')]])(
    'answering %.30j is InvalidOutput',
    async (body) => {
      await expect(ask(agent(await serve({ body })))).rejects.toMatchObject({ type: 'InvalidOutput' });
    },
  );

  test('is not followed elsewhere', async () => {
    await expect(ask(agent(await serve({ status: 302, headers: { location: '/other' }, body: '' })))).rejects.toMatchObject({
      type: 'ProviderRefused',
    });
  });
});

describe.each([
  ['OpenAI-compatible', openai],
  ['HTTP', agent],
])('the failures of a target: %s', (_, configOf) => {
  test.each([
    [400, {}, { type: 'ProviderRefused', retryable: false }],
    [401, {}, { type: 'ProviderRefused', retryable: false }],
    [404, {}, { type: 'ProviderRefused', retryable: false }],
    [408, {}, { type: 'ProviderUnavailable', retryable: true }],
    [425, {}, { type: 'ProviderUnavailable', retryable: true }],
    [429, { 'retry-after': '30' }, { type: 'RateLimited', retryable: true, retryAfterSeconds: 30 }],
    [429, {}, { type: 'RateLimited', retryable: true, retryAfterSeconds: undefined }],
    [500, {}, { type: 'ProviderUnavailable', retryable: true }],
    [503, { 'retry-after': '5' }, { type: 'RateLimited', retryable: true, retryAfterSeconds: 5 }],
    [503, {}, { type: 'ProviderUnavailable', retryable: true }],
  ])('%d with %j is classified, and the call is made once', async (status, headers, fault) => {
    const server = await serve({ status, headers, body: { error: { message: 'no' } } });
    await expect(ask(configOf(server))).rejects.toMatchObject({ name: 'ModelError', ...fault });
    expect(server.seen).toHaveLength(1);
  });

  test('a server that is gone is ProviderUnavailable with the reason', async () => {
    const server = await serve({ body: '' });
    await server.close();
    await expect(ask(configOf(server))).rejects.toMatchObject({
      type: 'ProviderUnavailable',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
  });

  test('an abort ends the call with its own reason', async () => {
    const stop = new AbortController();
    const reason = new Error('stopped');
    const server = await serve(() => {
      setImmediate(() => stop.abort(reason));
      return 'hang';
    });
    await expect(ask(configOf(server), { signal: stop.signal })).rejects.toBe(reason);
  });
});

describe('a module target', () => {
  const module = (name: string) => ({ kind: 'module', module: new URL(`./test-modules/${name}.ts`, import.meta.url).pathname }) as const;

  test('by name computes its answer', async () => {
    const target = createTarget({ kind: 'module', module: 'bundled' }, {});
    const question = {
      messages: [{ role: 'user' as const, content: 'What is 17 + 25?' }],
      idempotencyKey: 'x',
      signal: new AbortController().signal,
    };
    expect(await target.answer(question)).toMatchObject({ output: '42' });
  });

  test('by path is its export `answer` or its default', async () => {
    expect(await ask(module('named'))).toEqual({ output: 'why? run/case/r0/k0', tokens: 3 });
    expect(await ask(module('unnamed'))).toEqual({ output: 'default' });
  });

  test('that is missing, has no export, throws or answers nonsense is classified', async () => {
    await expect(ask(module('nowhere'))).rejects.toMatchObject({ type: 'ProviderRefused', retryable: false });
    await expect(ask(module('empty'))).rejects.toMatchObject({ type: 'ProviderRefused', message: expect.stringContaining('exports neither') });
    await expect(ask(module('throwing'))).rejects.toMatchObject({
      type: 'ProviderUnavailable',
      retryable: true,
      message: 'the module failed: broken',
    });
    await expect(ask(module('nonsense'))).rejects.toMatchObject({ type: 'InvalidOutput' });
  });
});

test('a target is described without what must not be shown', () => {
  expect(describeTarget({ kind: 'http', url: 'https://u:p@agent.example/ask?token=x' })).toBe('agent.example/ask');
  expect(describeTarget({ kind: 'openai', baseUrl: 'https://api.example/v1', model: 'tiny', apiKeyEnv: 'K' })).toBe('tiny at api.example');
});

test.each([
  [{ kind: 'openai', baseUrl: 'ftp://x', model: 'm' }, 'http or https'],
  [{ kind: 'openai', baseUrl: 'http://x', model: 'm', apiKeyEnv: 'sk-123' }, 'NAME of an environment variable'],
  [{ kind: 'openai', baseUrl: 'http://x', model: 'm', apikey: 'K' }, 'apikey'],
  [{ kind: 'module', module: ' ' }, 'must not be blank'],
  [{ kind: 'magic' }, 'kind'],
])('the target config %j is refused', (config, message) => {
  expect(JSON.stringify(targetConfigSchema.safeParse(config).error?.issues)).toContain(message);
});
