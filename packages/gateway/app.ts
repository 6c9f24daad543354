import { Hono } from 'hono';
import type { MiddlewareHandler } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { findUnserializable } from '../contracts/json-value.ts';
import { runChecks } from '../runtime/health-server.ts';
import type { HealthChecks } from '../runtime/health-server.ts';
import type { PipelineClient } from '../runtime/pipeline-client.ts';
import { EventRefused } from '../runtime/signal-answers.ts';
import type { SignalDoorDeps } from '../runtime/signal-doors.ts';
import { authenticate } from './callers.ts';
import type { CallerRules, GatewayEnv } from './callers.ts';
import { createOpenApi } from './openapi.ts';
import { pipelineRoutes } from './pipeline-routes.ts';
import { judgeError, problem } from './problems.ts';
import { signalRoutes } from './signal-routes.ts';

const MOST_BYTES = 4 * 1_024 * 1_024;

/** What the gateway serves. */
export interface GatewayDeps {
  readonly signals: SignalDoorDeps;
  readonly pipelines: PipelineClient;
  readonly callers: CallerRules;
  /** Whether the parts behind it answer, by name. */
  readonly checks: HealthChecks;
  /** Hears of faults of ours, which callers are not told. */
  readonly onError: (error: unknown) => void;
}

const tooLarge = (): Response => problem({ status: 413, type: 'PayloadTooLarge', detail: `a body has at most ${MOST_BYTES} bytes` });

/** Neither an address nor its query holds what no column can. */
const refuseUnstorable: MiddlewareHandler = async ({ req }, next) => {
  const given: Readonly<Record<string, string>> = { ...req.query(), path: req.path };
  const name = Object.keys(given).find((key) => findUnserializable(given[key]) !== undefined);
  if (name === undefined) return next();
  throw new EventRefused('InvalidInput', [{ path: name, code: 'invalid_value', message: `${name}: must be well-formed text without NUL` }]);
};

/** The HTTP application: a fetch handler, whoever serves it. */
export const createGateway = ({ signals, pipelines, callers, checks, onError }: GatewayDeps): Hono<GatewayEnv> => {
  const app = new Hono<GatewayEnv>();
  app.get('/livez', (context) => context.json({ alive: true }));
  app.get('/readyz', async (context) => {
    const states = await runChecks(checks);
    return context.json(states, Object.values(states).every(Boolean) ? 200 : 503);
  });
  app.get('/openapi.json', (context) => context.json(createOpenApi()));
  app.use(bodyLimit({ maxSize: MOST_BYTES, onError: tooLarge }));
  app.use(authenticate(callers));
  app.use(refuseUnstorable);
  app.route('/agent-signal', signalRoutes(signals, onError));
  app.route('/pipelines', pipelineRoutes(pipelines));
  app.notFound(({ req }) => problem({ status: 404, type: 'NotFound', detail: `nothing answers ${req.method} ${req.path}; see /openapi.json` }));
  app.onError((error) => problem(judgeError(error, onError)));
  return app;
};
