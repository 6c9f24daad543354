import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What a test's agent answers to one question. */
export interface TargetReply {
  readonly status: number;
  readonly output: string;
}

/** Answers a question; `asked` counts how often this very question was asked, from 1. */
export type Answer = (question: string, asked: number) => TargetReply;

/** A real HTTP agent of a test's own: JSON in, JSON out, one behaviour per path. */
export interface TargetServer {
  readonly url: string;
  answer(path: string, answer: Answer): void;
  /** Answers only the first `free` requests of the path at once; the others wait for the gate. */
  hold(path: string, free: number, gate: Promise<void>): void;
  /** Resolves when so many requests have arrived at the path. */
  reached(path: string, requests: number): Promise<void>;
  /** Requests that arrived at the path. */
  asked(path: string): number;
  /** Idempotency keys in the order of arrival. */
  keys(path: string): readonly string[];
  close(): Promise<void>;
}

interface Asked {
  readonly question: string;
  readonly key: string;
}

const readBody = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const parts: Buffer[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString('utf8');
};

/** Starts an agent on a free port of the loopback address. */
export const startTargetServer = async (): Promise<TargetServer> => {
  const answers = new Map<string, Answer>();
  const log = new Map<string, Asked[]>();
  const holds = new Map<string, { readonly free: number; readonly gate: Promise<void> }>();
  const arrivals = new EventEmitter();
  const server = createServer((request, response) => {
    void readBody(request).then(async (body) => {
      const path = request.url?.slice(1) ?? '';
      const { messages, idempotencyKey } = JSON.parse(body) as { messages: { content: string }[]; idempotencyKey: string };
      const question = messages.at(-1)?.content ?? '';
      const asked = [...(log.get(path) ?? []), { question, key: idempotencyKey }];
      log.set(path, asked);
      arrivals.emit(path, asked.length);
      const held = holds.get(path);
      if (held !== undefined && asked.length > held.free) await held.gate;
      const reply = answers.get(path)?.(question, asked.filter((one) => one.question === question).length) ?? { status: 404, output: '' };
      response.writeHead(reply.status, { 'content-type': 'application/json' }).end(JSON.stringify({ output: reply.output }));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answer: (path, answer) => void answers.set(path, answer),
    hold: (path, free, gate) => void holds.set(path, { free, gate }),
    reached: async (path, requests) => {
      while ((log.get(path)?.length ?? 0) < requests) await once(arrivals, path);
    },
    asked: (path) => log.get(path)?.length ?? 0,
    keys: (path) => (log.get(path) ?? []).map(({ key }) => key),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
};
