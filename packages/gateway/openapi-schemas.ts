import { z } from 'zod';
import { eventEnvelopes } from '../agent-signal/events.schema.ts';
import { findSourceSchema, sourceTypes } from '../agent-signal/source-registry.schema.ts';
import { AGENT_SIGNAL_CLIENT_SOURCE_TYPES, AGENT_SIGNAL_MANUAL_SOURCE_TYPES } from '../agent-signal/source-types.ts';

/** A piece of the document. */
export type Json = Readonly<Record<string, unknown>>;

/** Points to one of the schemas. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

const STRING: Json = { type: 'string' };
const INTEGER: Json = { type: 'integer' };
const BOOLEAN: Json = { type: 'boolean' };

const toJson = (schema: z.ZodObject): Json => z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;

const object = (properties: Json, ...required: readonly string[]): Json => ({ type: 'object', properties, required });

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  sourceId: 'identity of the fact within its scope and type, at most 600 bytes',
  payload: 'strict, by source type: see payload.<type>',
  timestamp: "the sender's clock, ms: data only",
  userId: 'for whom the sender speaks; what its token says where it is left out',
  scopeKey: 'else derived from the payload; at most 900 bytes',
  cause: 'set for what our own actions and runs produce',
};

/** An envelope as its door parses it. */
const event = (envelope: z.ZodObject, types: readonly string[]): Json => {
  const { properties, ...schema } = toJson(envelope);
  const fields = Object.entries({ ...(properties as Readonly<Record<string, Json>>), sourceType: { type: 'string', enum: types } });
  const described = fields.map(([name, field]) => [name, name in DESCRIPTIONS ? { ...field, description: DESCRIPTIONS[name] } : field]);
  return { ...schema, properties: Object.fromEntries(described) };
};

const PROBLEM: Json = object(
  {
    type: STRING,
    title: STRING,
    status: INTEGER,
    detail: STRING,
    problems: { type: 'array', items: object({ path: STRING, code: STRING, message: STRING }, 'path', 'code', 'message') },
    error: { type: 'string', description: 'of 401 only: "Invalid signature"' },
  },
  'type',
  'title',
  'status',
  'detail',
);

const ACCEPTED: Json = object(
  {
    accepted: { type: 'boolean', description: 'false: agent signal is off for the user, and nothing was stored' },
    scopeKey: STRING,
    workflowRunId: STRING,
    workflowId: STRING,
    sourceId: STRING,
    deduped: BOOLEAN,
    state: STRING,
    reopened: BOOLEAN,
    wake: { type: 'string', enum: ['sent', 'coalesced', 'deferred'] },
  },
  'accepted',
  'scopeKey',
  'workflowRunId',
  'workflowId',
  'sourceId',
);

const REFUSED: Json = object(
  { accepted: { const: false }, status: INTEGER, type: STRING, detail: STRING, problems: { type: 'array' }, retryAfterSeconds: INTEGER },
  'accepted',
  'status',
  'type',
  'detail',
);

const BATCH: Json = object({ results: { type: 'array', items: { oneOf: [ref('Accepted'), ref('Refused')] } } }, 'results');

const CONTROLLED: Json = object({ workflowId: STRING, accepted: BOOLEAN, state: STRING, unanswered: BOOLEAN }, 'workflowId', 'accepted', 'state');

/** Every schema that the paths point to, and the payload of each source type. */
export const createSchemas = (): Json => ({
  ServerEvent: event(eventEnvelopes.server, sourceTypes),
  BrowserEvent: event(eventEnvelopes.user, AGENT_SIGNAL_CLIENT_SOURCE_TYPES),
  UserEvent: event(eventEnvelopes.user, AGENT_SIGNAL_MANUAL_SOURCE_TYPES),
  Accepted: ACCEPTED,
  Refused: REFUSED,
  Batch: BATCH,
  Controlled: CONTROLLED,
  Problem: PROBLEM,
  ...Object.fromEntries(sourceTypes.map((type) => [`payload.${type}`, toJson(findSourceSchema(type) as z.ZodObject)])),
});
