import { z } from 'zod';
import { STRATA_QUEUE } from '../contracts/queues.ts';
import type { SignalLimits } from '../contracts/signal-limits.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { resolveDataDir } from './paths.ts';
import type { SignalModelSetting } from './signal-config.ts';
import { agentSignalSwitch, signalLimits, signalModel } from './signal-config.ts';
import { EXIT, UserError } from './user-error.ts';

const count = (fallback: number) =>
  z
    .string()
    .regex(/^[1-9]\d{0,4}$/, 'must be a whole number from 1 to 99999')
    .transform(Number)
    .default(fallback);
const flag = z
  .enum(['true', 'false'], 'must be true or false')
  .default('false')
  .transform((value) => value === 'true');
const databaseUrl = z
  .string('is required to start a worker')
  .refine((value) => /^postgres(ql)?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be a URL like postgres://user:password@host:5432/database');
const address = z
  .string()
  .regex(/^\S+:\d{1,5}$/, 'must be an address like 127.0.0.1:9464')
  .optional();
const queues = z
  .string()
  .default(STRATA_QUEUE)
  .transform((value) => value.split(',').map((queue) => queue.trim()))
  .refine((names) => names.every((name) => name !== ''), 'must be queue names separated by commas');

/** Every variable that a worker reads besides Temporal's own `TEMPORAL_*`. */
export const workerEnvSchema = z
  .object({
    DATABASE_URL: databaseUrl,
    STRATA_DATABASE_POOL_SIZE: count(40),
    STRATA_ACTIVITY_SLOTS: count(40),
    STRATA_WORKFLOW_SLOTS: count(40),
    STRATA_CACHED_WORKFLOWS: count(300),
    STRATA_TASK_QUEUES: queues,
    STRATA_SHUTDOWN_GRACE_SECONDS: count(5),
    STRATA_AGENT_SIGNAL: agentSignalSwitch,
    STRATA_SIGNAL_LIMITS: signalLimits,
    STRATA_SIGNAL_MODEL: signalModel,
    STRATA_FLOW_PREFIX: z.string().max(64).default(''),
    STRATA_SET_CURRENT: flag,
    STRATA_WORKFLOW_BUNDLE: z.string().min(1).optional(),
    STRATA_DATA_DIR: z.string().min(1).optional(),
    STRATA_LOG_LEVEL: z.enum(['DEBUG', 'INFO', 'WARN', 'ERROR'], 'must be DEBUG, INFO, WARN or ERROR').default('INFO'),
    STRATA_LOG_FORMAT: z.enum(['text', 'json'], 'must be text or json').optional(),
    STRATA_METRICS_ADDRESS: address,
    STRATA_HEALTH_ADDRESS: address,
  })
  .refine((env) => env.STRATA_DATABASE_POOL_SIZE >= env.STRATA_ACTIVITY_SLOTS, {
    path: ['STRATA_DATABASE_POOL_SIZE'],
    message: 'must be at least STRATA_ACTIVITY_SLOTS, or activities wait for connections',
    when: ({ issues }) => issues.length === 0,
  });

/** Settings of a worker process. */
export interface WorkerConfig {
  readonly databaseUrl: string;
  readonly databasePoolSize: number;
  readonly activitySlots: number;
  readonly workflowSlots: number;
  readonly cachedWorkflows: number;
  readonly taskQueues: readonly string[];
  readonly shutdownGraceMs: number;
  /** Put before every flow-control key: environments that share a namespace have limits of their own. */
  readonly flowPrefix: string;
  /** Bounds of agent signal. */
  readonly signalLimits: SignalLimits;
  /** What the policies of agent signal ask. */
  readonly signalModel: SignalModelSetting;
  /** Whether agent signal is on for users without a flag of their own. */
  readonly agentSignalByDefault: boolean;
  readonly setCurrent: boolean;
  /** A bundle made earlier; undefined: bundle the workflows at start. */
  readonly workflowBundle: string | undefined;
  readonly dataDir: string;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  /** Text for a terminal; else one JSON object a line. */
  readonly logFormat: 'text' | 'json';
  /** Where Prometheus finds `/metrics`; undefined: nowhere. */
  readonly metricsAddress: string | undefined;
  /** Where probes find `/livez` and `/readyz`; undefined: nowhere. */
  readonly healthAddress: string | undefined;
}

/** Reads a worker's settings; throws one UserError (exit 2) that lists every problem. An empty variable counts as unset. */
export function loadWorkerConfig(env: Env): WorkerConfig {
  const parsed = workerEnvSchema.safeParse(definedOnly(env));
  if (!parsed.success) throw refuse(parsed.error);
  const values = parsed.data;
  return Object.freeze({
    databaseUrl: values.DATABASE_URL,
    databasePoolSize: values.STRATA_DATABASE_POOL_SIZE,
    activitySlots: values.STRATA_ACTIVITY_SLOTS,
    workflowSlots: values.STRATA_WORKFLOW_SLOTS,
    cachedWorkflows: values.STRATA_CACHED_WORKFLOWS,
    taskQueues: Object.freeze(values.STRATA_TASK_QUEUES),
    shutdownGraceMs: values.STRATA_SHUTDOWN_GRACE_SECONDS * 1_000,
    flowPrefix: values.STRATA_FLOW_PREFIX,
    signalLimits: values.STRATA_SIGNAL_LIMITS,
    signalModel: values.STRATA_SIGNAL_MODEL,
    agentSignalByDefault: values.STRATA_AGENT_SIGNAL === 'on',
    setCurrent: values.STRATA_SET_CURRENT,
    workflowBundle: values.STRATA_WORKFLOW_BUNDLE,
    dataDir: resolveDataDir(values.STRATA_DATA_DIR),
    logLevel: values.STRATA_LOG_LEVEL,
    logFormat: values.STRATA_LOG_FORMAT ?? (process.stderr.isTTY ? 'text' : 'json'),
    metricsAddress: values.STRATA_METRICS_ADDRESS,
    healthAddress: values.STRATA_HEALTH_ADDRESS,
  });
}

function refuse(error: z.ZodError): UserError {
  const problems = error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`);
  return new UserError(problems.join('; '), EXIT.refused);
}
