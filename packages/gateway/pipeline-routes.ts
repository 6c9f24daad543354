import { Hono } from 'hono';
import { z } from 'zod';
import { text } from '../agent-signal/fields.schema.ts';
import { findPipelineContract, pipelineContracts } from '../contracts/index.ts';
import type { PipelineContract } from '../contracts/pipeline.ts';
import type { ControlVerb } from '../runtime/pipeline-control.ts';
import type { PipelineClient } from '../runtime/pipeline-client.ts';
import { RunFault } from '../runtime/run-fault.ts';
import { UserError } from '../runtime/user-error.ts';
import type { GatewayEnv } from './callers.ts';
import { problem, requireInput } from './problems.ts';

const FAILURES_A_PAGE = 100;
const VERBS: readonly ControlVerb[] = ['pause', 'resume', 'abort'];

const requirePipeline = (name: string): PipelineContract => {
  const found = findPipelineContract(name);
  if (found === undefined)
    throw new RunFault('unknown', `no pipeline ${name}; known are ${pipelineContracts.map(({ entity }) => entity).join(', ')}`);
  return found;
};

const controlBody = z.strictObject({ reason: text.optional() });

const readInput = (body: string): Record<string, unknown> => {
  try {
    const input: unknown = body === '' ? {} : JSON.parse(body);
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new UserError('the body must be one JSON object');
};

/** Starts and controls runs of pipelines; a run is named by the part of its workflow id behind the pipeline's name. */
export const pipelineRoutes = (pipelines: PipelineClient): Hono<GatewayEnv> => {
  const routes = new Hono<GatewayEnv>();
  routes.use(async (context, next) => {
    if (context.get('caller').kind === 'service') return next();
    return problem({ status: 403, type: 'Forbidden', detail: 'runs of pipelines are for services' });
  });
  routes.get('/', (context) =>
    context.json({ pipelines: pipelineContracts.map(({ entity, type, description }) => ({ name: entity, type, description })) }),
  );
  routes.post('/:name/runs', async (context) => {
    const contract = requirePipeline(context.req.param('name'));
    return context.json(await pipelines.start(contract, readInput(context.get('body')) as never), 202);
  });
  const workflowIdOf = (name: string, run: string): string => `${requirePipeline(name).entity}/${run}`;
  routes.get('/:name/runs/:run', async (context) => {
    const { name, run } = context.req.param();
    return context.json(await pipelines.status(workflowIdOf(name, run)));
  });
  routes.get('/:name/runs/:run/failures', async (context) => {
    const { name, run } = context.req.param();
    return context.json(await pipelines.failures(workflowIdOf(name, run), { after: context.req.query('after') ?? null, limit: FAILURES_A_PAGE }));
  });
  routes.post('/:name/runs/:run/redrive', async (context) => {
    const { name, run } = context.req.param();
    const { contract, input } = await pipelines.redrive(workflowIdOf(name, run));
    return context.json(await pipelines.start(contract, input), 202);
  });
  routes.post('/:name/runs/:run/:verb', async (context) => {
    const { name, run, verb } = context.req.param();
    const known = VERBS.find((each) => each === verb);
    if (known === undefined) return problem({ status: 404, type: 'NotFound', detail: `no control ${verb}; known are ${VERBS.join(', ')}, redrive` });
    const outcome = await pipelines.control(known, workflowIdOf(name, run), requireInput(controlBody, readInput(context.get('body'))).reason);
    return context.json(outcome, outcome.accepted ? 200 : 409);
  });
  return routes;
};
