import type { ClientInterceptors } from '@temporalio/client';
import type { Tracing } from '../observability/tracing.ts';
import type { Env } from './env.ts';
import { loadTracingConfig } from './tracing-config.ts';

/** Tracing of this process as its environment asks for it. */
export interface ProcessTracing extends Tracing {
  /** What a client needs so that its starts are traced. */
  readonly interceptors: ClientInterceptors;
}

const OFF: ProcessTracing = { interceptors: {}, stop: () => Promise.resolve() };

/** Starts what the OTEL_* variables ask for; without an endpoint nothing of OpenTelemetry is loaded, which would cost each command some 30 ms. */
export async function startProcessTracing(env: Env, serviceName: string): Promise<ProcessTracing> {
  const config = loadTracingConfig(env);
  if (config === null) return OFF;
  const [{ startTracing }, { traceStarts }] = await Promise.all([import('../observability/tracing.ts'), import('./trace-propagation.ts')]);
  const { stop } = await startTracing({ serviceName, ...config });
  return { interceptors: { workflow: [traceStarts] }, stop };
}
