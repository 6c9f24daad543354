import { createServer } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request as a test server saw it. */
export type SeenRequest = { readonly path: string; readonly headers: IncomingHttpHeaders; readonly body: Record<string, unknown> };

/** What a test server answers; `hang` never answers. */
export type TestAnswer = { readonly status?: number; readonly headers?: Record<string, string>; readonly body: unknown } | 'hang';

/** A real HTTP server on a free loopback port, for tests of targets and judges. */
export type TestServer = {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  readonly close: () => Promise<void>;
};

/** Starts a server that answers each POST as told; a text body is sent as it is, anything else as JSON. */
export async function startTestServer(answer: (request: SeenRequest) => TestAnswer): Promise<TestServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '', headers: request.headers, body: JSON.parse(text === '' ? '{}' : text) as Record<string, unknown> };
      seen.push(one);
      const given = answer(one);
      if (given === 'hang') return;
      response.writeHead(given.status ?? 200, { 'content-type': 'application/json', ...given.headers });
      response.end(typeof given.body === 'string' ? given.body : JSON.stringify(given.body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close };
}

/** A chat completion with this text, 12 prompt and 5 completion tokens. */
export function chatCompletion(content: string): { readonly body: unknown } {
  return {
    body: {
      id: 'c1',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 12, completion_tokens: 5, total_tokens: 17 },
    },
  };
}
