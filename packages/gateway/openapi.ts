import { z } from 'zod';
import { sourceTypes, findSourceSchema } from '../agent-signal/source-registry.schema.ts';
import { pipelineContracts } from '../contracts/index.ts';

type Json = Readonly<Record<string, unknown>>;

const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: Json): Json => ({ content: { 'application/json': { schema } } });
const answer = (description: string, schema: Json = { type: 'object' }): Json => ({ description, ...content(schema) });
const PROBLEM = { description: 'A problem (RFC 9457)', content: { 'application/problem+json': { schema: ref('Problem') } } };
const PROBLEMS = Object.fromEntries(['400', '401', '403', '413', '422', '429'].map((status) => [status, PROBLEM]));

const post = (summary: string, body: Json, status: string): Json => ({
  post: { summary, requestBody: { required: true, ...content(body) }, responses: { [status]: answer(summary), ...PROBLEMS } },
});
const parameter = (name: string, where: 'path' | 'query'): Json => ({ name, in: where, required: where === 'path', schema: { type: 'string' } });
const get = (summary: string, ...parameters: readonly Json[]): Json => ({
  get: { summary, parameters, responses: { '200': answer(summary), '401': PROBLEM, '404': PROBLEM } },
});

const payloadSchemas = (): Json =>
  Object.fromEntries(
    sourceTypes.map((type) => [
      `payload.${type}`,
      z.toJSONSchema(findSourceSchema(type) as z.ZodObject, { io: 'input', unrepresentable: 'any' }) as Json,
    ]),
  );

const EVENT: Json = {
  type: 'object',
  required: ['sourceType', 'sourceId', 'payload'],
  properties: {
    sourceType: { type: 'string', enum: sourceTypes },
    sourceId: { type: 'string', description: 'identity of the fact within its scope and type, at most 600 bytes' },
    payload: { type: 'object', description: 'strict, by source type: see payload.<type>' },
    scopeKey: { type: 'string', description: 'server door only; else derived from the payload' },
    userId: { type: 'string', description: 'for whom a service speaks' },
    agentId: { type: 'string' },
    workspaceId: { type: 'string' },
    timestamp: { type: 'integer', description: "the sender's clock, ms: data only" },
  },
};

const PROBLEM_SCHEMA: Json = {
  type: 'object',
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    problems: { type: 'array' },
  },
};

const paths = (): Json => ({
  '/agent-signal/events': post(
    'Make one event or up to a hundred durable',
    { oneOf: [ref('Event'), { type: 'array', maxItems: 100, items: ref('Event') }] },
    '202',
  ),
  '/agent-signal/emit': post('Run an event now and answer what came of it', ref('Event'), '200'),
  '/agent-signal/client-events': post("A browser's event, with a user's token", ref('Event'), '202'),
  '/agent-signal/triggers': post("A user's own request, with a user's token", ref('Event'), '202'),
  '/agent-signal/scopes/{scopeKey}': get('What waits in a scope and what ended', parameter('scopeKey', 'path')),
  '/agent-signal/traces/{sourceType}/{sourceId}': get(
    'The chain of an event',
    parameter('sourceType', 'path'),
    parameter('sourceId', 'path'),
    parameter('scopeKey', 'query'),
  ),
  '/agent-signal/receipts': get(
    'Receipts, newest first',
    ...['agentId', 'topicId', 'limit', 'cursor', 'sinceCreatedAt'].map((name) => parameter(name, 'query')),
  ),
  '/pipelines': get('The pipelines'),
  ...Object.fromEntries(
    pipelineContracts.map(({ entity, description }) => [`/pipelines/${entity}/runs`, post(`Start a run: ${description}`, { type: 'object' }, '202')]),
  ),
  '/pipelines/{name}/runs/{run}': get('How a run is doing', parameter('name', 'path'), parameter('run', 'path')),
  '/pipelines/{name}/runs/{run}/{verb}': post(
    'pause, resume, abort or redrive a run',
    { type: 'object', properties: { reason: { type: 'string' } } },
    '200',
  ),
});

/** The OpenAPI document of the gateway. */
export const createOpenApi = (): Json => ({
  openapi: '3.1.0',
  info: { title: 'Strata gateway', version: '1' },
  security: [{ bearer: [] }, { webhook: [] }],
  paths: paths(),
  components: {
    schemas: { Event: EVENT, Problem: PROBLEM_SCHEMA, ...payloadSchemas() },
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
