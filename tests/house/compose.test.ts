import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { SEARCH_ATTRIBUTES } from '../../packages/contracts/search-attributes.ts';
import { gatewayEnvSchema, loadGatewayConfig } from '../../packages/gateway/config.ts';
import { loadWorkerConfig, workerEnvSchema } from '../../packages/runtime/config.ts';
import { loadTemporalTarget } from '../../packages/runtime/connect.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';
import { SERVER_SETTINGS } from '../../packages/runtime/server-settings.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

const service = z.strictObject({
  profiles: z.array(z.string()).optional(),
  image: z.string().optional(),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).optional(),
  entrypoint: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()),
  depends_on: z
    .record(z.string(), z.strictObject({ condition: z.enum(['service_healthy', 'service_completed_successfully', 'service_started']) }))
    .optional(),
  ports: z.array(z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), timeout: z.string(), retries: z.number() }).optional(),
  restart: z.string().optional(),
  mem_limit: z.string().optional(),
  stop_grace_period: z.string().optional(),
});
const composeFile = z.strictObject({
  name: z.string(),
  'x-postgres-password': z.string(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

/** Fills in `${NAME:-default}` as compose does for an environment without the name. */
const withDefaults = (text: string): string => text.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');

const compose = composeFile.parse(parse(withDefaults(read('docker-compose.yml'))));
const services = Object.entries(compose.services);
const worker = compose.services['worker']!;
const gateway = compose.services['gateway']!;
const TOKENS = JSON.stringify([{ hash: 'a'.repeat(64), kind: 'service' }]);

describe('docker-compose.yml', () => {
  test('the worker is given a complete and valid set of variables that it knows', () => {
    const known = Object.keys(workerEnvSchema.shape);
    const foreign = Object.keys(worker.environment).filter((name) => !known.includes(name) && !/^TEMPORAL_(ADDRESS|NAMESPACE)$/.test(name));
    expect(foreign).toEqual([]);
    expect(loadWorkerConfig(worker.environment)).toMatchObject({ setCurrent: true, taskQueues: ['strata'] });
    expect(loadTemporalTarget(worker.environment)).toMatchObject({ namespace: 'default' });
  });

  test('the gateway is started on request, with variables that it knows, and for callers who are told apart', () => {
    expect(gateway).toMatchObject({ profiles: ['gateway'], command: ['gateway'] });
    const foreign = Object.keys(gateway.environment).filter(
      (name) => !(name in gatewayEnvSchema.shape) && !/^TEMPORAL_(ADDRESS|NAMESPACE)$/.test(name),
    );
    expect(foreign).toEqual([]);
    expect(() => loadGatewayConfig(gateway.environment)).toThrow('STRATA_TOKENS or STRATA_WEBHOOK_SECRETS says who may call');
    const { port } = loadGatewayConfig({ ...gateway.environment, STRATA_TOKENS: TOKENS });
    expect(gateway.ports?.[0]?.split(':').at(-1)).toBe(String(port));
  });

  test.each(['worker', 'gateway'])('the %s reaches services of this file, with the password that Postgres was given', (name) => {
    const { environment } = compose.services[name]!;
    const database = new URL(environment['DATABASE_URL']!);
    const { POSTGRES_USER, POSTGRES_PASSWORD, POSTGRES_DB } = compose.services[database.hostname]!.environment;
    expect([database.username, database.password, database.pathname]).toEqual([POSTGRES_USER, POSTGRES_PASSWORD, `/${POSTGRES_DB}`]);
    expect(Object.keys(compose.services)).toContain(environment['TEMPORAL_ADDRESS']!.split(':')[0]);
    expect(compose.services['temporal']!.environment['POSTGRES_PWD']).toBe(POSTGRES_PASSWORD);
    expect(compose.services['temporal-schema']!.environment['SQL_PASSWORD']).toBe(POSTGRES_PASSWORD);
  });

  test('a container is stopped later than its worker stops by itself', () => {
    const { shutdownGraceMs } = loadWorkerConfig(worker.environment);
    expect(Number.parseInt(worker.stop_grace_period!, 10) * 1_000).toBeGreaterThan(shutdownGraceMs + 1_000);
  });

  test('every port is published on the loopback address only', () => {
    const ports = services.flatMap(([, { ports: published }]) => published ?? []);
    expect(ports.length).toBeGreaterThan(2);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  test('every service has an image of a fixed version or is built here', () => {
    expect(services.filter(([, { image, build }]) => (image === undefined) === (build === undefined))).toEqual([]);
    const images = services.flatMap(([, { image }]) => image ?? []);
    expect(images.filter((image) => !/:\d+\.\d+/.test(image))).toEqual([]);
  });

  test('what a service waits for exists, and gives the signal it waits for', () => {
    for (const [name, { depends_on: waits }] of services) {
      for (const [other, { condition }] of Object.entries(waits ?? {})) {
        expect(compose.services, `${name} waits for ${other}`).toHaveProperty([other]);
        if (condition === 'service_healthy') expect(compose.services[other]!.healthcheck, `${name} waits for ${other}`).toBeDefined();
      }
    }
  });

  test('the files and named volumes it mounts exist', () => {
    for (const mount of services.flatMap(([, { volumes }]) => volumes ?? [])) {
      const [from = ''] = mount.split(':');
      expect(from.startsWith('.') ? existsSync(join(REPOSITORY_ROOT, from)) : from in compose.volumes, mount).toBe(true);
    }
    for (const [, { entrypoint }] of services.filter(([, each]) => each.entrypoint !== undefined)) {
      expect(existsSync(join(REPOSITORY_ROOT, entrypoint!.at(-1)!.replace('/strata/', 'deploy/temporal/')))).toBe(true);
    }
  });
});

describe('deploy', () => {
  test('the server in a container has the settings of the embedded one', () => {
    const settings = z
      .record(z.string(), z.tuple([z.strictObject({ value: z.union([z.string(), z.number(), z.boolean()]) })]))
      .parse(parse(read('deploy/temporal/dynamic-config.yaml')));
    expect(Object.fromEntries(Object.entries(settings).map(([key, [{ value }]]) => [key, value]))).toEqual(SERVER_SETTINGS);
  });

  test('the namespace gets every search attribute', () => {
    const names = /for name in (.+); do/.exec(read('deploy/temporal/prepare-namespace.sh'))?.[1];
    expect(names?.split(' ')).toEqual([...SEARCH_ATTRIBUTES]);
  });

  test('the image is built from files that exist, for a Node that Strata accepts', () => {
    const dockerfile = read(worker.build!.dockerfile);
    expect(dockerfile).toMatch(/^FROM node:24-bookworm-slim AS packages$/m);
    for (const script of dockerfile.matchAll(/scripts\/[\w-]+\.ts/g)) expect(existsSync(join(REPOSITORY_ROOT, script[0])), script[0]).toBe(true);
    expect(read('.dockerignore').split('\n')).toEqual(expect.arrayContaining(['.git', '.strata', 'node_modules']));
  });
});
