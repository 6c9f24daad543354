import { describe, expect, test } from 'vitest';
import { loadTracingConfig } from './tracing-config.ts';
import { UserError } from './user-error.ts';

const ENDPOINT = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' };

describe('tracing', () => {
  test.each([{}, { ...ENDPOINT, OTEL_SDK_DISABLED: 'TRUE' }, { ...ENDPOINT, OTEL_TRACES_EXPORTER: 'none' }, { OTEL_EXPORTER_OTLP_ENDPOINT: '' }])(
    'is off for %o',
    (env) => {
      expect(loadTracingConfig(env)).toBeNull();
    },
  );

  test.each([
    [ENDPOINT, 'http://collector:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector/base/' }, 'https://collector/base/v1/traces'],
    [{ ...ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://traces:9/x' }, 'http://traces:9/x'],
  ])('of %o goes to %s', (env, url) => {
    expect(loadTracingConfig(env)?.url).toBe(url);
  });

  test.each([
    [undefined, undefined, { share: 1, isParentBased: true }],
    ['always_off', undefined, { share: 0, isParentBased: false }],
    ['traceidratio', '0.25', { share: 0.25, isParentBased: false }],
    ['parentbased_traceidratio', '0.1', { share: 0.1, isParentBased: true }],
    ['parentbased_always_on', '0.1', { share: 1, isParentBased: true }],
  ])('by sampler %s with %s records %o', (sampler, share, sampling) => {
    expect(loadTracingConfig({ ...ENDPOINT, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: share })?.sampling).toEqual(sampling);
  });

  test('refuses what it cannot do, all at once', () => {
    const env = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_EXPORTER: 'zipkin',
      OTEL_TRACES_SAMPLER: 'jaeger_remote',
      OTEL_TRACES_SAMPLER_ARG: '2',
    };
    const load = (): unknown => loadTracingConfig(env);
    expect(load).toThrow(UserError);
    for (const name of Object.keys(env)) expect(load, name).toThrow(name);
  });
});
