import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { waitUntil } from '../runtime/wait-until.ts';

/** One span as it was exported; `service` names the process's resource. */
export interface ReceivedSpan {
  readonly name: string;
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty: a root. */
  readonly parentSpanId: string;
  readonly durationMs: number;
  readonly isError: boolean;
  readonly attributes: Readonly<Record<string, string>>;
}

/** A collector of traces: an HTTP server that takes the JSON encoding of OTLP. */
export interface OtlpReceiver {
  /** Value of OTEL_EXPORTER_OTLP_ENDPOINT. */
  readonly endpoint: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** Waits until so many spans of the name are there; answers all spans. */
  readonly waitFor: (name: string, count: number) => Promise<readonly ReceivedSpan[]>;
  close(): Promise<void>;
}

type Attributes = readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: Attributes };
    readonly scopeSpans: readonly { readonly spans: readonly RawSpan[] }[];
  }[];
}

interface RawSpan extends Pick<ReceivedSpan, 'name' | 'traceId' | 'spanId'> {
  readonly parentSpanId?: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Attributes;
}

const ERROR = 2; // opentelemetry.proto.trace.v1.Status.StatusCode.STATUS_CODE_ERROR
const NANOS_PER_MS = 1e6;

const toRecord = (attributes: Attributes): Record<string, string> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, String(Object.values(value)[0])]));

const toSpans = ({ resourceSpans }: ExportRequest): ReceivedSpan[] =>
  resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ name, traceId, spanId, parentSpanId = '', ...raw }) => ({
        name,
        traceId,
        spanId,
        parentSpanId,
        service: toRecord(resource.attributes)['service.name'] ?? '',
        durationMs: (Number(raw.endTimeUnixNano) - Number(raw.startTimeUnixNano)) / NANOS_PER_MS,
        isError: raw.status.code === ERROR,
        attributes: toRecord(raw.attributes),
      })),
    ),
  );

const isExport = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'POST' && url === '/v1/traces' && headers['content-type'] === 'application/json';

/** Starts a collector on a free port of the loopback address. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const received: ReceivedSpan[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      if (isExport(request)) received.push(...toSpans(JSON.parse(body) as ExportRequest));
      response.writeHead(isExport(request) ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => received,
    waitFor: async (name, count) => {
      const isThere = async (): Promise<boolean> => received.filter((span) => span.name === name).length >= count;
      await waitUntil({ what: `${count} spans ${name}`, timeoutMs: 30_000, probe: isThere });
      return received;
    },
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
