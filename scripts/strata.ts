import { defineCommand } from 'citty';
import { runCli } from './cli/run-cli.ts';
import { commands } from './commands/index.ts';

const strata = defineCommand({
  meta: { name: 'strata', description: 'durable execution for the background work of AI products' },
  subCommands: { ...commands },
});

process.exitCode = await runCli(strata, process.argv.slice(2));
