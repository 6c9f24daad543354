import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Logger, TelemetryOptions } from '@temporalio/worker';
import { formatLogLine } from '../observability/log-line.ts';
import { SIGNAL_BUCKETS } from '../observability/signal-meter.ts';
import { HISTOGRAM_BUCKETS } from '../observability/pipeline-meter.ts';
import type { WorkerConfig } from './config.ts';
import { EXIT, UserError } from './user-error.ts';

/** Signals that drain the Workers of a process. */
const DRAINING: NodeJS.Signals[] = ['SIGINT', 'SIGTERM'];

/**
 * Installs the process's one Temporal runtime: logs to stderr in the configured format, the SDK's native ones included, metrics of the SDK and of Strata on
 * one Prometheus endpoint. Throws a UserError (exit 3) where the endpoint's address cannot be taken.
 */
export function installRuntime(config: Pick<WorkerConfig, 'logLevel' | 'logFormat' | 'metricsAddress'>): Logger {
  const logger = createLogger(config);
  const metrics = config.metricsAddress === undefined ? {} : prometheusOn(config.metricsAddress);
  try {
    Runtime.install({
      logger,
      shutdownSignals: DRAINING,
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} }, ...metrics },
    });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new UserError(`metrics cannot be served on ${config.metricsAddress} (${problem}): correct STRATA_METRICS_ADDRESS`, EXIT.unreachable, error);
  }
  return Runtime.instance().logger;
}

function createLogger({ logLevel, logFormat }: Pick<WorkerConfig, 'logLevel' | 'logFormat'>): Logger {
  if (logFormat === 'text') return new DefaultLogger(logLevel);
  return new DefaultLogger(logLevel, (entry) => void process.stderr.write(formatLogLine(entry)));
}

function prometheusOn(bindAddress: string): Pick<TelemetryOptions, 'metrics'> {
  const histogramBucketOverrides = Object.fromEntries(
    Object.entries({ ...HISTOGRAM_BUCKETS, ...SIGNAL_BUCKETS }).map(([name, bounds]) => [name, [...bounds]]),
  );
  return { metrics: { prometheus: { bindAddress, useSecondsForDurations: true, histogramBucketOverrides } } };
}
