import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { gatewayEnvSchema, loadGatewayConfig } from '../../packages/gateway/config.ts';
import { SIGNAL_LIMITS } from '../../packages/contracts/signal-limits.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';

const read = (name: string): unknown[] =>
  parseAllDocuments(readFileSync(join(REPOSITORY_ROOT, 'deploy/kubernetes', name), 'utf8')).map((document) => {
    expect(document.errors, name).toEqual([]);
    return document.toJS() as unknown;
  });

const labels = z.record(z.string(), z.string());
const probe = z.looseObject({ httpGet: z.strictObject({ path: z.string(), port: z.literal('http') }) });
const variable = z.strictObject({
  name: z.string(),
  value: z.string().optional(),
  valueFrom: z.strictObject({ configMapKeyRef: z.strictObject({ name: z.literal('strata-worker'), key: z.string() }) }).optional(),
});
const container = z.looseObject({
  image: z.literal('IMAGE'),
  args: z.tuple([z.literal('gateway'), z.literal('--json')]),
  envFrom: z.tuple([z.strictObject({ secretRef: z.strictObject({ name: z.literal('strata-gateway') }) })]),
  env: z.array(variable),
  ports: z.tuple([z.strictObject({ name: z.literal('http'), containerPort: z.int() })]),
  readinessProbe: probe,
  livenessProbe: probe,
  securityContext: z.looseObject({ allowPrivilegeEscalation: z.literal(false), readOnlyRootFilesystem: z.literal(true) }),
});
const deployment = z.looseObject({
  kind: z.literal('Deployment'),
  spec: z.looseObject({
    selector: z.strictObject({ matchLabels: labels }),
    template: z.strictObject({
      metadata: z.strictObject({ labels }),
      spec: z.looseObject({ terminationGracePeriodSeconds: z.int(), containers: z.tuple([container]) }),
    }),
  }),
});
const service = z.looseObject({
  kind: z.literal('Service'),
  spec: z.strictObject({
    selector: labels,
    ports: z.tuple([z.strictObject({ name: z.string(), port: z.int(), targetPort: z.literal('http') })]),
  }),
});

const [gateway, address] = z.tuple([deployment, service]).parse(read('gateway.yaml'));
const { spec: pod, metadata } = gateway.spec.template;
const [{ env, ports, readinessProbe, livenessProbe }] = pod.containers;
const shared = z.looseObject({ data: z.record(z.string(), z.string()) }).parse(read('common.yaml')[0]).data;
const variables = Object.fromEntries(env.map(({ name, value, valueFrom }) => [name, value ?? shared[valueFrom?.configMapKeyRef.key ?? '']]));
const SECRETS = {
  DATABASE_URL: 'postgres://strata:secret@db:5432/strata',
  STRATA_TOKENS: JSON.stringify([{ hash: 'a'.repeat(64), kind: 'service' }]),
};

describe('deploy/kubernetes/gateway.yaml', () => {
  test('gives the gateway variables that it knows, those of the server and the queue as its workers have them', () => {
    expect(Object.keys(variables).filter((name) => !(name in gatewayEnvSchema.shape) && !name.startsWith('TEMPORAL_'))).toEqual([]);
    expect(Object.values(variables)).not.toContain(undefined);
    expect(loadGatewayConfig({ ...variables, ...SECRETS })).toMatchObject({ host: '0.0.0.0', port: ports[0].containerPort, taskQueue: 'strata' });
  });

  test('starts only where callers are told apart', () => {
    expect(() => loadGatewayConfig({ ...variables, DATABASE_URL: SECRETS.DATABASE_URL })).toThrow('says who may call');
  });

  test('sends calls to pods that are ready, and restarts none for an outage elsewhere', () => {
    expect(metadata.labels).toMatchObject(gateway.spec.selector.matchLabels);
    expect(metadata.labels).toMatchObject(address.spec.selector);
    expect([readinessProbe.httpGet.path, livenessProbe.httpGet.path]).toEqual(['/readyz', '/livez']);
  });

  test('lets a call end that waits for its event', () => {
    expect(pod.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(SIGNAL_LIMITS.emitWaitMs);
  });
});
