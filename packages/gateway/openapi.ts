import { pipelineContracts } from '../contracts/index.ts';
import { createSchemas, ref } from './openapi-schemas.ts';
import type { Json } from './openapi-schemas.ts';

const TEXT: Json = { type: 'string' };
const ANYTHING: Json = { type: 'object' };

const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
const PROBLEM_CONTENT: Json = { 'application/problem+json': { schema: ref('Problem') } };
const RETRY: Json = { headers: { 'Retry-After': { schema: { type: 'integer' } } } };

const PROBLEMS: Readonly<Record<string, string>> = {
  '400': 'What was sent cannot be understood',
  '401': 'The caller is unknown',
  '403': 'The caller may not',
  '404': 'There is no such thing',
  '409': 'The run is in no state for it, or runs with another request',
  '413': 'Too large',
  '422': 'A bound of causation is broken',
  '429': 'Too many, later',
  '500': 'A fault of the gateway',
  '503': 'The database, Temporal or a worker does not answer: send it again',
};

const refusal = (status: string): Json => ({
  description: PROBLEMS[status],
  content: PROBLEM_CONTENT,
  ...(status === '429' || status === '503' ? RETRY : {}),
});

interface Operation {
  readonly summary: string;
  readonly status?: string;
  readonly answer?: Json;
  readonly parameters?: readonly Json[];
  readonly body?: Json;
  readonly isBodyOptional?: boolean;
  /** Statuses besides those that every door has. */
  readonly refusals: readonly string[];
}

const operation = ({ summary, status = '200', answer = ANYTHING, parameters = [], body, isBodyOptional = false, refusals }: Operation): Json => ({
  summary,
  parameters,
  ...(body === undefined ? {} : { requestBody: { required: !isBodyOptional, ...content(body) } }),
  responses: {
    [status]: { description: summary, ...content(answer) },
    ...Object.fromEntries(['401', '500', '503', ...refusals].map((each) => [each, refusal(each)])),
  },
});
const get = (given: Operation): Json => ({ get: operation(given) });
const post = (given: Operation): Json => ({ post: operation({ ...given, refusals: ['413', ...given.refusals] }) });

const inPath = (name: string, schema: Json = TEXT): Json => ({ name, in: 'path', required: true, schema });
const inQuery = (name: string, schema: Json = TEXT): Json => ({ name, in: 'query', required: false, schema });

const OWNER: readonly Json[] = ['userId', 'workspaceId'].map((name) => ({
  ...inQuery(name),
  description: 'whose data a service asks for; a token of a user speaks for itself',
}));

/** Answers to probes and readers that need no token. */
const open = (summary: string, ...unwell: readonly string[]): Json => ({
  get: {
    summary,
    security: [],
    responses: Object.fromEntries(['200', ...unwell].map((status) => [status, { description: summary, ...content(ANYTHING) }])),
  },
});

const eventPaths = (): Json => {
  const refusals = ['400', '403', '429'];
  const accepted = { status: '202', answer: ref('Accepted'), refusals };
  return {
    '/agent-signal/events': post({
      summary: 'Make one event or up to a hundred durable',
      body: { oneOf: [ref('ServerEvent'), { type: 'array', maxItems: 100, items: ref('ServerEvent') }] },
      ...accepted,
      answer: { oneOf: [ref('Accepted'), ref('Batch')] },
      refusals: [...refusals, '422'],
    }),
    '/agent-signal/emit': post({
      summary: 'Run an event now and answer what came of it',
      body: ref('ServerEvent'),
      refusals: [...refusals, '422'],
    }),
    '/agent-signal/client-events': post({ summary: "A browser's event, with a user's token", body: ref('BrowserEvent'), ...accepted }),
    '/agent-signal/triggers': post({ summary: "A user's own request, with a user's token", body: ref('UserEvent'), ...accepted }),
  };
};

const viewPaths = (): Json => {
  const refusals = ['400', '403'];
  return {
    '/agent-signal/scopes/{scopeKey}': get({
      summary: 'What waits in a scope and what ended',
      parameters: [inPath('scopeKey'), ...OWNER],
      refusals: [...refusals, '404'],
    }),
    '/agent-signal/traces/{sourceType}/{sourceId}': get({
      summary: 'The chain of an event',
      parameters: [inPath('sourceType'), inPath('sourceId'), inQuery('scopeKey'), ...OWNER],
      refusals: [...refusals, '404'],
    }),
    '/agent-signal/receipts': get({
      summary: 'Receipts, newest first',
      parameters: [
        ...['agentId', 'topicId', 'cursor', 'sinceCreatedAt'].map((name) => inQuery(name)),
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 50, default: 20 }),
        ...OWNER,
      ],
      refusals,
    }),
  };
};

const controls = (parameters: readonly Json[]): Json => {
  const { post: described } = post({
    summary: 'Pause, resume or abort a run',
    answer: ref('Controlled'),
    parameters: [...parameters, inPath('verb', { type: 'string', enum: ['pause', 'resume', 'abort'] })],
    body: { type: 'object', properties: { reason: TEXT }, additionalProperties: false },
    isBodyOptional: true,
    refusals: ['400', '403', '404'],
  }) as { readonly post: Json & { readonly responses: Json } };
  const both = { ...PROBLEM_CONTENT, 'application/json': { schema: ref('Controlled') } };
  return { post: { ...described, responses: { ...described.responses, '409': { description: PROBLEMS['409'], content: both } } } };
};

const runPaths = (): Json => {
  const run = [inPath('name'), inPath('run')];
  const refusals = ['400', '403', '404'];
  const start = { status: '202', refusals: [...refusals, '409'] };
  const starts = pipelineContracts.map(({ entity, description }) => [
    `/pipelines/${entity}/runs`,
    post({ summary: `Start a run: ${description}`, body: ANYTHING, isBodyOptional: true, ...start }),
  ]);
  return {
    '/pipelines': get({ summary: 'The pipelines', refusals: ['403'] }),
    ...Object.fromEntries(starts),
    '/pipelines/{name}/runs/{run}': get({ summary: 'How a run is doing', parameters: run, refusals }),
    '/pipelines/{name}/runs/{run}/failures': get({
      summary: 'What is failed now, in the order of ids, a hundred a page',
      parameters: [...run, { ...inQuery('after'), description: '`next` of the page before' }],
      refusals,
    }),
    '/pipelines/{name}/runs/{run}/redrive': post({ summary: 'Start what has failed again', parameters: run, ...start }),
    '/pipelines/{name}/runs/{run}/{verb}': controls(run),
  };
};

/** The OpenAPI document of the gateway. */
export const createOpenApi = (): Json => ({
  openapi: '3.1.0',
  info: { title: 'Strata gateway', version: '1' },
  security: [{ bearer: [] }, { webhook: [] }],
  paths: {
    '/livez': open('The process lives'),
    '/readyz': open('Whether what stands behind it answers, by name', '503'),
    '/openapi.json': open('This document'),
    ...eventPaths(),
    ...viewPaths(),
    ...runPaths(),
  },
  components: {
    schemas: createSchemas(),
    securitySchemes: {
      bearer: { type: 'http', scheme: 'bearer' },
      webhook: {
        type: 'apiKey',
        in: 'header',
        name: 'webhook-signature',
        description: 'Standard Webhooks: webhook-id, webhook-timestamp, webhook-signature',
      },
    },
  },
});
