import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { STRATA_DEPLOYMENT } from '../../packages/contracts/queues.ts';
import { loadWorkerConfig, workerEnvSchema } from '../../packages/runtime/config.ts';
import { loadTemporalTarget } from '../../packages/runtime/connect.ts';
import { REPOSITORY_ROOT } from '../../packages/runtime/paths.ts';
import { loadTracingConfig, tracingEnvSchema } from '../../packages/runtime/tracing-config.ts';

const read = (path: string): string => readFileSync(join(REPOSITORY_ROOT, path), 'utf8');

const BUILD_ID = '0123456789abcdef';
const IMAGE = 'registry.example/strata:1.2.3';

/** Fills the places in, as deploy/README.md tells to. */
const fillIn = (text: string): string => text.replaceAll('BUILD_ID', BUILD_ID).replaceAll('IMAGE', IMAGE);

const parseDocuments = (path: string): Record<string, unknown>[] =>
  parseAllDocuments(fillIn(read(path))).map((document) => {
    expect(document.errors, path).toEqual([]);
    return document.toJS() as Record<string, unknown>;
  });

const labels = z.record(z.string(), z.string().max(63));
const metadata = z.strictObject({ name: z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/), labels, annotations: labels.optional() });
const probe = z.strictObject({
  httpGet: z.strictObject({ path: z.enum(['/livez', '/readyz']), port: z.literal('health') }),
  periodSeconds: z.int(),
  timeoutSeconds: z.int(),
  failureThreshold: z.int(),
});
const keyRef = z.strictObject({ name: z.literal('strata-worker'), key: z.string(), optional: z.boolean().optional() });
const source = z.strictObject({ name: z.literal('strata-worker') });
const container = z.strictObject({
  name: z.string(),
  image: z.string(),
  args: z.array(z.string()).optional(),
  command: z.array(z.string()).optional(),
  envFrom: z.array(z.strictObject({ configMapRef: source }).or(z.strictObject({ secretRef: source }))).optional(),
  env: z.array(
    z.strictObject({
      name: z.string(),
      value: z.string().optional(),
      valueFrom: z.strictObject({ configMapKeyRef: keyRef.optional(), secretKeyRef: keyRef.optional() }).optional(),
    }),
  ),
  ports: z.array(z.strictObject({ name: z.string(), containerPort: z.int() })).optional(),
  startupProbe: probe.optional(),
  readinessProbe: probe.optional(),
  livenessProbe: probe.optional(),
  resources: z.strictObject({ requests: z.record(z.string(), z.string()), limits: z.strictObject({ memory: z.string() }) }),
  securityContext: z.strictObject({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.strictObject({ drop: z.tuple([z.literal('ALL')]) }),
  }),
});
const podSpec = z.strictObject({
  terminationGracePeriodSeconds: z.int().optional(),
  restartPolicy: z.literal('OnFailure').optional(),
  automountServiceAccountToken: z.literal(false),
  securityContext: z.looseObject({ runAsNonRoot: z.literal(true), runAsUser: z.literal(1000) }),
  containers: z.tuple([container]),
});
const template = z.strictObject({ metadata: metadata.omit({ name: true }), spec: podSpec });
const configMap = z.strictObject({ apiVersion: z.literal('v1'), kind: z.literal('ConfigMap'), metadata, data: z.record(z.string(), z.string()) });
const disruptionBudget = z.strictObject({
  apiVersion: z.literal('policy/v1'),
  kind: z.literal('PodDisruptionBudget'),
  metadata,
  spec: z.strictObject({ maxUnavailable: z.int(), selector: z.strictObject({ matchLabels: labels }) }),
});
const deployment = z.strictObject({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  metadata,
  spec: z.strictObject({ replicas: z.int(), strategy: z.looseObject({}), selector: z.strictObject({ matchLabels: labels }), template }),
});
const job = z.strictObject({
  apiVersion: z.literal('batch/v1'),
  kind: z.literal('Job'),
  metadata,
  spec: z.strictObject({ backoffLimit: z.int(), activeDeadlineSeconds: z.int(), ttlSecondsAfterFinished: z.int(), template }),
});

const [config, budget] = z.tuple([configMap, disruptionBudget]).parse(parseDocuments('deploy/kubernetes/common.yaml'));
const [worker, setCurrent] = z.tuple([deployment, job]).parse(parseDocuments('deploy/kubernetes/version.yaml'));
const [workerContainer] = worker.spec.template.spec.containers;
const [jobContainer] = setCurrent.spec.template.spec.containers;

const own = Object.fromEntries(workerContainer.env.map(({ name, value = '' }) => [name, value]));
const environment = { ...config.data, ...own, DATABASE_URL: 'postgres://strata:secret@db:5432/strata' };
const portOf = (address: string | undefined): number => Number(address?.split(':').at(-1));

describe('deploy/kubernetes', () => {
  test('gives the worker a complete and valid set of variables that it knows', () => {
    const known = [...Object.keys(workerEnvSchema.shape), ...Object.keys(tracingEnvSchema.shape), 'TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE'];
    expect(Object.keys(environment).filter((name) => !known.includes(name))).toEqual([]);
    expect(loadWorkerConfig(environment)).toMatchObject({ taskQueues: ['strata'], setCurrent: false, logFormat: 'json' });
    expect(loadTracingConfig(environment)).toBeNull();
    expect(loadTemporalTarget(environment)).toMatchObject({ namespace: 'default' });
    expect(workerContainer.envFrom).toEqual([{ configMapRef: { name: config.metadata.name } }, { secretRef: { name: config.metadata.name } }]);
  });

  test('lets a worker drain before its container is killed', () => {
    const { shutdownGraceMs } = loadWorkerConfig(environment);
    expect(worker.spec.template.spec.terminationGracePeriodSeconds! * 1_000).toBeGreaterThanOrEqual(shutdownGraceMs + 10_000);
  });

  test('scrapes and probes where the worker listens', () => {
    const ports = Object.fromEntries(workerContainer.ports!.map(({ name, containerPort }) => [name, containerPort]));
    const { metricsAddress, healthAddress } = loadWorkerConfig(environment);
    expect(ports).toEqual({ metrics: portOf(metricsAddress), health: portOf(healthAddress) });
    expect(worker.spec.template.metadata.annotations).toMatchObject({
      'prometheus.io/port': String(ports['metrics']),
      'prometheus.io/path': '/metrics',
    });
  });

  test('restarts a worker whose event loop stands still, not one whose database is away', () => {
    expect(workerContainer.livenessProbe?.httpGet.path).toBe('/livez');
    for (const each of [workerContainer.startupProbe, workerContainer.readinessProbe]) expect(each?.httpGet.path).toBe('/readyz');
  });

  test('runs the bundle of the version it is named after, from where the image has it', () => {
    const dockerfile = read('deploy/Dockerfile');
    const folder = /bundle-workflows\.ts --out (\S+)/.exec(dockerfile)?.[1];
    expect(own['STRATA_WORKFLOW_BUNDLE']).toBe(`${folder}/${BUILD_ID}.js`);
    expect(worker.metadata.name).toBe(`strata-worker-${BUILD_ID}`);
    expect(workerContainer).toMatchObject({ image: IMAGE, args: ['worker', '--json'] });
    expect(dockerfile).toMatch(/^ENTRYPOINT .*"scripts\/strata\.ts"\]$/m);
    expect(dockerfile).toMatch(/^USER node$/m);
  });

  test('gives the heap three quarters of the memory', () => {
    const heapMb = Number(/--max-old-space-size=(\d+)/.exec(read('deploy/Dockerfile'))?.[1]);
    expect(workerContainer.resources.limits.memory).toBe('1Gi');
    expect(heapMb).toBe(1024 * 0.75);
  });

  test('keeps versions apart: a Deployment selects the pods of its own version, the disruption budget those of all', () => {
    const podLabels = worker.spec.template.metadata.labels;
    expect(podLabels).toMatchObject(worker.spec.selector.matchLabels);
    expect(worker.spec.selector.matchLabels).toMatchObject({ 'app.kubernetes.io/version': BUILD_ID });
    expect(podLabels).toMatchObject(budget.spec.selector.matchLabels);
    expect(Object.keys(budget.spec.selector.matchLabels)).not.toContain('app.kubernetes.io/version');
    expect(setCurrent.spec.template.metadata.labels['app.kubernetes.io/name']).not.toBe(podLabels['app.kubernetes.io/name']);
  });

  test('makes the version current that it deploys, with the server of the worker', () => {
    const words = jobContainer.command ?? [];
    const option = (name: string): string | undefined => words[words.indexOf(name) + 1];
    expect(words.slice(0, 4)).toEqual(['temporal', 'worker', 'deployment', 'set-current-version']);
    expect([option('--deployment-name'), option('--build-id')]).toEqual([STRATA_DEPLOYMENT, BUILD_ID]);
    expect(words).toContain('--yes');
    expect(jobContainer.image).toMatch(/:\d+\.\d+\.\d+$/);
    for (const { valueFrom } of jobContainer.env)
      if (valueFrom?.configMapKeyRef !== undefined) expect(config.data).toHaveProperty([valueFrom.configMapKeyRef.key]);
  });
});
