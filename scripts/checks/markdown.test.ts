import { describe, expect, test } from 'vitest';
import { listAnchors, listCommands, listLinks } from './markdown.ts';

describe('the commands of a document', () => {
  test('are the lines of its shell blocks, without comments, quotes and what they are piped into', () => {
    const text = '```sh\n# a comment\n$ strata run probe \\\n  --input \'{"set":"S"}\'  # why\nstrata list | head\n```\n```ts\nconst x = 1;\n```\n';
    expect(listCommands(text)).toEqual([
      ['strata', 'run', 'probe', '--input', '{"set":"S"}'],
      ['strata', 'list'],
    ]);
  });

  test('are also those in a sentence', () => {
    expect(listCommands('Type `strata doctor`, then `./scripts/demo --keep`; `strategy` is no command.')).toEqual([
      ['strata', 'doctor'],
      ['./scripts/demo', '--keep'],
    ]);
  });
});

test('links and images of the repository are listed, those to other hosts and those in code are not', () => {
  const text = '[a](docs/a.md#b) ![p](p.png) <img src="q.png"> [x](https://example.com) `[c](d)`';
  expect(listLinks(text)).toEqual(['docs/a.md#b', 'p.png', 'q.png']);
});

test('anchors are the headings in lower case without punctuation', () => {
  expect(listAnchors('# Find your way\n\n## What? `strata up`!\n```\n# no heading\n```\n')).toEqual(['find-your-way', 'what-strata-up']);
});
