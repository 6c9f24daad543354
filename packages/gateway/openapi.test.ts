import { describe, expect, test } from 'vitest';
import { sourceTypes } from '../agent-signal/source-registry.schema.ts';
import { pipelineContracts } from '../contracts/index.ts';
import { createGateway } from './app.ts';
import type { GatewayDeps } from './app.ts';
import { createOpenApi } from './openapi.ts';

interface Described {
  readonly parameters: readonly { readonly name: string; readonly schema: object }[];
  readonly requestBody?: { readonly required: boolean; readonly content: object };
  readonly responses: Readonly<Record<string, object>>;
}

// Routes are set by what they are called; no call is made.
const app = createGateway({ signals: {}, pipelines: {}, callers: {}, checks: {}, onError: () => undefined } as unknown as GatewayDeps);
const document = createOpenApi() as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, ...described })),
);
const find = (method: string, path: string): Described => {
  const found = operations.find((each) => each.method === method && each.path === path);
  if (found === undefined) throw new Error(`${method} ${path} is not described`);
  return found;
};
const schemaOf = (name: string) => document.components.schemas[name] as { readonly properties: object; readonly additionalProperties?: boolean };

describe('the OpenAPI document', () => {
  test('describes every route of the gateway, and nothing else', () => {
    const routes = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`);
    // Starts are described pipeline by pipeline, each with what it does.
    const names = pipelineContracts.map(({ entity }) => entity).join('|');
    const described = operations.map(({ method, path }) => `${method} ${path.replace(new RegExp(`^/pipelines/(${names})/`), '/pipelines/{name}/')}`);
    expect(new Set(described)).toEqual(new Set(routes));
    for (const { entity } of pipelineContracts) expect(Object.keys(document.paths)).toContain(`/pipelines/${entity}/runs`);
  });

  test('names every parameter of a path', () => {
    for (const { path, method, parameters = [] } of operations)
      for (const [, name] of path.matchAll(/\{(\w+)\}/g))
        expect(
          parameters.map((each) => each.name),
          `${method} ${path}`,
        ).toContain(name);
  });

  test('points to schemas that are there, and has the payload of every source type', () => {
    for (const [, name] of JSON.stringify(document).matchAll(/#\/components\/schemas\/([\w.]+)/g))
      expect(Object.keys(document.components.schemas)).toContain(name);
    for (const type of sourceTypes) expect(schemaOf(`payload.${type}`).properties).toBeDefined();
  });

  test('lets each door take what it parses: a user names no scope, no workspace and no cause', () => {
    expect(Object.keys(schemaOf('ServerEvent').properties)).toEqual(expect.arrayContaining(['scopeKey', 'workspaceId', 'cause']));
    for (const [path, name, types] of [
      ['/agent-signal/client-events', 'BrowserEvent', 6],
      ['/agent-signal/triggers', 'UserEvent', 6],
      ['/agent-signal/emit', 'ServerEvent', sourceTypes.length],
    ] as const) {
      expect(find('POST', path).requestBody).toMatchObject({
        required: true,
        content: { 'application/json': { schema: { $ref: expect.stringMatching(name) } } },
      });
      expect(schemaOf(name)).toMatchObject({ additionalProperties: false, properties: { sourceType: { enum: { length: types } } } });
      for (const own of ['scopeKey', 'workspaceId', 'cause']) expect(own in schemaOf(name).properties).toBe(name === 'ServerEvent');
    }
  });

  test('says what each kind of call may answer', () => {
    for (const { path, responses } of operations.filter((each) => !('security' in each)))
      expect(Object.keys(responses), path).toEqual(expect.arrayContaining(['401', '500', '503']));
    const run = '/pipelines/{name}/runs/{run}';
    expect(find('POST', `${run}/redrive`).responses).toMatchObject({ '202': {}, '404': {}, '409': {} });
    expect(find('POST', `${run}/{verb}`)).toMatchObject({
      requestBody: { required: false },
      responses: { '200': {}, '409': { content: { 'application/json': {}, 'application/problem+json': {} } } },
    });
    expect(JSON.stringify(find('POST', `${run}/{verb}`).parameters)).toContain('["pause","resume","abort"]');
    for (const path of ['/agent-signal/scopes/{scopeKey}', '/agent-signal/traces/{sourceType}/{sourceId}', '/agent-signal/receipts']) {
      expect(find('GET', path).parameters.map(({ name }) => name)).toEqual(expect.arrayContaining(['userId', 'workspaceId']));
      expect(find('GET', path).responses).toMatchObject({ '400': {}, '403': {} });
    }
    expect(find('POST', '/agent-signal/events').responses['202']).toMatchObject({
      content: { 'application/json': { schema: { oneOf: { length: 2 } } } },
    });
    expect(Object.keys(schemaOf('Problem').properties)).toContain('error');
    expect(Object.keys(schemaOf('Refused').properties)).toContain('retryAfterSeconds');
  });
});
