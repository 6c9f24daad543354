import { z } from 'zod';
import type { TraceSampling } from '../observability/tracing.ts';
import { definedOnly } from './env.ts';
import type { Env } from './env.ts';
import { EXIT, UserError } from './user-error.ts';

const httpUrl = z.string().refine((value) => /^https?:$/.test(URL.parse(value)?.protocol ?? ''), 'must be a URL like http://collector:4318');
const SAMPLERS = ['always_on', 'always_off', 'traceidratio', 'parentbased_always_on', 'parentbased_always_off', 'parentbased_traceidratio'] as const;

/** The standard variables of OpenTelemetry that Strata reads itself; those of the exporter (headers, timeout, compression, certificates) its SDK reads. */
export const tracingEnvSchema = z.object({
  OTEL_SDK_DISABLED: z.string().optional(),
  OTEL_TRACES_EXPORTER: z.enum(['otlp', 'none'], 'must be otlp or none').optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
  OTEL_EXPORTER_OTLP_PROTOCOL: z.enum(['http/json', 'http/protobuf'], 'must be http/json: traces go over HTTP, as a rule to port 4318').optional(),
  OTEL_TRACES_SAMPLER: z.enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`).default('parentbased_always_on'),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine((value) => Number(value) >= 0 && Number(value) <= 1, 'must be a share from 0 to 1')
    .default('1'),
});

/** Where and how much this process traces. */
export interface TracingConfig {
  readonly url: string;
  readonly sampling: TraceSampling;
}

const shareOf = (sampler: (typeof SAMPLERS)[number], share: number): number => {
  if (sampler.endsWith('always_on')) return 1;
  return sampler.endsWith('always_off') ? 0 : share;
};

/** Reads the OTEL_* variables; null without an endpoint or where tracing is switched off. Throws one UserError (exit 2) that lists every problem. */
export function loadTracingConfig(env: Env): TracingConfig | null {
  const parsed = tracingEnvSchema.safeParse(definedOnly(env));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`);
    throw new UserError(problems.join('; '), EXIT.refused);
  }
  const { OTEL_SDK_DISABLED: disabled, OTEL_TRACES_EXPORTER: exporter, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...rest } = parsed.data;
  const url = rest.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ?? (endpoint && `${endpoint.replace(/\/$/, '')}/v1/traces`);
  if (url === undefined || exporter === 'none' || disabled?.toLowerCase() === 'true') return null;
  const { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share } = rest;
  return { url, sampling: { share: shareOf(sampler, Number(share)), isParentBased: sampler.startsWith('parentbased_') } };
}
