import { createHash } from 'node:crypto';
import { createGateway } from '../../packages/gateway/app.ts';
import type { GatewayDeps } from '../../packages/gateway/app.ts';
import { createPipelineClient } from '../../packages/runtime/pipeline-client.ts';
import type { Rig } from '../../packages/testing/rig.ts';
import type { Signals } from './signals.ts';

/** Keys that sign webhooks. */
export const SECRETS = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'];

interface Call {
  readonly token?: string | undefined;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** An answer as tests look at it. */
export interface Answered {
  readonly status: number;
  readonly type: string | null;
  readonly retryAfter: string | null;
  readonly body: Record<string, unknown>;
}

/** A gateway and how tests call it: with `service-token` unless they say otherwise, by POST where they give a body. */
export interface TestGateway {
  readonly app: ReturnType<typeof createGateway>;
  /** What it told its log. */
  readonly faults: unknown[];
  call(path: string, call?: Call): Promise<Answered>;
}

/** A token as the configuration names it. */
export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex');

/** Opens one over a rig, in which a service and the user of the test have tokens. */
export const openGateway = (rig: Rig, signals: Signals, given: Partial<GatewayDeps> = {}): TestGateway => {
  const faults: unknown[] = [];
  const app = createGateway({
    signals: signals.deps,
    pipelines: createPipelineClient(rig),
    callers: {
      tokens: [
        { hash: hashOf('service-token'), kind: 'service' },
        { hash: hashOf('user-token'), kind: 'user', userId: signals.user },
      ],
      webhookSecrets: SECRETS,
      defaultUser: 'local',
    },
    checks: { database: async () => true },
    onError: (error) => faults.push(error),
    ...given,
  });
  return {
    app,
    faults,
    call: async (path, { token = 'service-token', body, headers = {} } = {}) => {
      const response = await app.request(path, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...(token === '' ? {} : { authorization: `Bearer ${token}` }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      return {
        status: response.status,
        type: response.headers.get('content-type'),
        retryAfter: response.headers.get('retry-after'),
        body: (await response.json()) as Record<string, unknown>,
      };
    },
  };
};
