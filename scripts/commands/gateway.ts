import { defineCommand } from 'citty';
import { definedOnly } from '../../packages/runtime/env.ts';
import { runGateway } from '../../workers/gateway.ts';
import { commonArgs, dataArgs } from '../cli/common-args.ts';
import { createOutput } from '../cli/output.ts';
import { processEnv } from '../cli/process-env.ts';

/** `strata gateway`: HTTP in front of scopes and pipelines until Ctrl-C or SIGTERM. */
export const gatewayCommand = defineCommand({
  meta: {
    name: 'gateway',
    description: 'answer HTTP (settings: DATABASE_URL, TEMPORAL_*, STRATA_GATEWAY_ADDRESS, STRATA_TOKENS, STRATA_WEBHOOK_SECRETS)',
  },
  args: { ...commonArgs, ...dataArgs, address: { type: 'string', description: 'where to listen (default: 127.0.0.1:8080)', valueHint: 'host:port' } },
  run: async ({ args }) => {
    const output = createOutput(args.json === true);
    const ending = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort());
    const env = { ...(await processEnv(args.data)), ...definedOnly({ STRATA_GATEWAY_ADDRESS: args.address }) };
    await runGateway({
      env,
      signal: ending.signal,
      onReady: ({ url, isOpen }) => {
        output.document({ ready: true, url, isOpen, pid: process.pid }, () => `gateway ready on ${url}, process ${process.pid}`);
        if (isOpen) output.note('no tokens are configured: everybody on this machine may call, as a service');
      },
      onError: (error) => process.stderr.write(`gateway: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
    });
  },
});
