import { once } from 'node:events';
import { defineCommand } from 'citty';
import { resolveDataDir } from '../../packages/runtime/paths.ts';
import { startStack } from '../../packages/runtime/stack.ts';
import { metricsUrls } from '../../packages/runtime/worker-addresses.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { parseWholeNumber } from '../cli/numbers.ts';
import { createOutput } from '../cli/output.ts';

/** `strata up`: the whole stack in the foreground until Ctrl-C or SIGTERM. */
export const upCommand = defineCommand({
  meta: { name: 'up', description: 'start Postgres, Temporal with its UI, workers and the gateway, in the foreground' },
  args: {
    ...commonArgs,
    ...dataArgs,
    workers: { type: 'string', description: 'worker processes', default: '1', valueHint: 'n' },
    'gateway-port': { type: 'string', description: 'port of the gateway (default: 8080, or a free one)', valueHint: 'port' },
    'port-base': {
      type: 'string',
      description: 'first of three ports: Temporal, UI, Postgres (default: the usual ones, or free ones)',
      valueHint: 'port',
    },
  },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const portBase = args['port-base'];
    const gatewayPort = args['gateway-port'];
    const ending = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
    const workers = parseWholeNumber(args.workers, { name: '--workers', from: 1, to: 64 });
    const starting = startStack({
      dataDir: resolveDataDir(args.data ?? process.env['STRATA_DATA_DIR']),
      env: process.env,
      workers,
      portBase: portBase === undefined ? undefined : parseWholeNumber(portBase, { name: '--port-base', from: 1024, to: 65_000 }),
      gatewayPort: gatewayPort === undefined ? undefined : parseWholeNumber(gatewayPort, { name: '--gateway-port', from: 1, to: 65_535 }),
      signal: ending.signal,
      say: (sentence) => process.stderr.write(`${sentence}\n`),
    });
    const stack = await starting.catch((error: unknown) => {
      if (!ending.signal.aborted) throw error;
    });
    if (stack === undefined) return;
    const { temporalAddress, uiUrl, gatewayUrl, databaseUrl, pid, dataDir } = stack.file;
    const metrics = metricsUrls(process.env, workers);
    output.document({ ready: true, temporalAddress, uiUrl, gatewayUrl, databaseUrl, ...(metrics.length > 0 && { metricsUrls: metrics }), pid }, () =>
      [
        output.colors.green('Strata is up.'),
        `  Temporal UI   ${uiUrl ?? '(that of the given server)'}`,
        `  gateway       ${gatewayUrl} (OpenAPI: ${gatewayUrl}/openapi.json)`,
        `  Temporal      ${temporalAddress}`,
        `  Postgres      ${databaseUrl}`,
        ...metrics.map((url) => `  metrics       ${url}`),
        `  data, logs    ${dataDir}`,
        'Ctrl-C stops everything; runs in flight go on at the next start.',
      ].join('\n'),
    );
    if (!ending.signal.aborted) await once(ending.signal, 'abort');
    output.note('stopping…');
    await stack.stop();
  },
});
