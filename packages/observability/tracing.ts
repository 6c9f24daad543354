import { context, trace } from '@opentelemetry/api';
import { hostname } from 'node:os';
import { chosenIds } from './trace-context.ts';

/** How root spans are chosen: all, none, or a share of the traces. */
export interface TraceSampling {
  /** 0 to 1; the same share of trace ids in every process. */
  readonly share: number;
  /** True: a span with a parent is recorded if its parent is. */
  readonly isParentBased: boolean;
}

export interface StartTracingInput {
  /** Value of `service.name` unless OTEL_SERVICE_NAME or OTEL_RESOURCE_ATTRIBUTES name another. */
  readonly serviceName: string;
  /** Address to which spans are posted as OTLP JSON. */
  readonly url: string;
  readonly sampling: TraceSampling;
}

/** Tracing of this process. */
export interface Tracing {
  /** Sends what is left and ends it; takes 5 s at most. */
  stop(): Promise<void>;
}

const STOP_WITHIN_MS = 5_000;
// A slice of fast items ends hundreds of spans at once.
const MAX_QUEUE = 8_192;

/**
 * Traces from now on, by OTLP over HTTP; headers, timeout, compression and certificates are the standard OTEL_EXPORTER_OTLP_* variables. Loads the
 * OpenTelemetry SDK, which processes without tracing never do.
 */
export async function startTracing({ serviceName, url, sampling }: StartTracingInput): Promise<Tracing> {
  const [sdk, resources, { OTLPTraceExporter }, { AsyncLocalStorageContextManager }] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/context-async-hooks'),
  ]);
  const own = resources.resourceFromAttributes({ 'service.name': serviceName, 'host.name': hostname(), 'process.pid': process.pid });
  const resource = resources
    .defaultResource()
    .merge(own)
    .merge(resources.detectResources({ detectors: [resources.envDetector] }));
  const random = new sdk.RandomIdGenerator();
  const share = new sdk.TraceIdRatioBasedSampler(sampling.share);
  const provider = new sdk.TracerProvider({
    resource,
    sampler: sampling.isParentBased ? new sdk.ParentBasedSampler({ root: share }) : share,
    idGenerator: {
      generateTraceId: () => chosenIds().traceId ?? random.generateTraceId(),
      generateSpanId: () => chosenIds().spanId ?? random.generateSpanId(),
    },
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new OTLPTraceExporter({ url }), maxQueueSize: MAX_QUEUE })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  trace.setGlobalTracerProvider(provider);
  return {
    stop: async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, STOP_WITHIN_MS)));
      // A collector that cannot be reached must not keep the process, nor fail it.
      await Promise.race([provider.shutdown().catch(() => undefined), late]);
      clearTimeout(timer);
      trace.disable();
      context.disable();
    },
  };
}
