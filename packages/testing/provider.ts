import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One call of an item's code: who asks, for what, under which key. */
export interface ProviderCall {
  readonly itemId: string;
  readonly attempt: number;
  readonly key: string;
  readonly pid: number;
}

/** How the provider answers; a call may be kept waiting first. */
export type ProviderAnswer = { readonly status: number; readonly body?: unknown };

/** A local stand-in for whoever is called over the network and charges for it, in the process of the test. */
export interface Provider {
  readonly url: string;
  readonly calls: readonly ProviderCall[];
  /** One charge per idempotency key: a repeated call of a key is answered from its record. */
  readonly charges: ReadonlyMap<string, unknown>;
  readonly answered: () => number;
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<ProviderCall> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return JSON.parse(Buffer.concat(parts).toString()) as ProviderCall;
};

/** Starts a provider; `charge` decides what a key costs at its first call, `answer` when and how each call is answered. */
export const startProvider = async (input: {
  readonly charge?: (call: ProviderCall) => unknown;
  readonly answer?: (call: ProviderCall) => Promise<ProviderAnswer>;
}): Promise<Provider> => {
  const calls: ProviderCall[] = [];
  const charges = new Map<string, unknown>();
  let answered = 0;
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const call = await readBody(request);
    calls.push(call);
    if (!charges.has(call.key)) charges.set(call.key, input.charge?.(call) ?? { charge: charges.size + 1 });
    const { status, body = charges.get(call.key) } = (await input.answer?.(call)) ?? { status: 200 };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    answered++;
  };
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    calls,
    charges,
    answered: () => answered,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
