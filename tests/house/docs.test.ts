import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import type { ArgsDef } from 'citty';
import { describe, expect, test } from 'vitest';
import { listAnchors, listCommands, listLinks } from '../../scripts/checks/markdown.ts';
import type { ShownCommand } from '../../scripts/checks/markdown.ts';
import { checkWords, resolveCommand } from '../../scripts/cli/usage.ts';
import { commands } from '../../scripts/commands/index.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
const documents = ['README.md', 'deploy/README.md', ...globSync('docs/**/*.md', { cwd: root }).sort()];
const strata = { meta: { name: 'strata' }, subCommands: { ...commands } };

/** Rejects, as the command line itself would, when the words name no command or an option that it does not have. */
async function checkStrata(words: readonly string[]): Promise<void> {
  const resolved = await resolveCommand(strata, words);
  if (!resolved.rest.includes('--help')) checkWords(((await resolved.command.args) ?? {}) as ArgsDef, resolved);
}

async function checkCommand([program = '', ...words]: ShownCommand): Promise<void> {
  if (program === 'strata' || program === './scripts/strata') return checkStrata(words);
  if (program === 'npm' && words[0] === 'run') return expect(scripts).toHaveProperty([words[1] ?? '']);
  const file = program === 'node' ? words.find((word) => !word.startsWith('-')) : program;
  if (file?.includes('/') && !file.startsWith('/')) expect(existsSync(join(root, file)), file).toBe(true);
}

function isResolved(document: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? document : normalize(join(dirname(document), path));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || listAnchors(read(target)).includes(anchor);
}

test('the README shows the commands that a newcomer needs', () => {
  const shown = listCommands(read('README.md')).map((words) => words[0]);
  expect(shown).toEqual(expect.arrayContaining(['./scripts/demo', './scripts/test']));
});

describe.each(documents)('%s', (document) => {
  test('shows only commands that exist', async () => {
    const problems: string[] = [];
    for (const words of listCommands(read(document))) {
      await checkCommand(words).catch((error: Error) => problems.push(`${words.join(' ')}: ${error.message}`));
    }
    expect(problems).toEqual([]);
  });

  test('links only to what exists', () => {
    expect(listLinks(read(document)).filter((link) => !isResolved(document, link))).toEqual([]);
  });
});
