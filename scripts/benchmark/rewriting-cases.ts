import { resemble } from './case.ts';
import type { Draft } from './case.ts';

const titles = [
  ['the lord of the rings', 'The Lord of the Rings'],
  ['war and peace', 'War and Peace'],
  ['a tale of two cities', 'A Tale of Two Cities'],
  ['gone with the wind', 'Gone with the Wind'],
] as const;

/** Small rewritings, graded by edit similarity: nearly right is worth nearly as much as right. */
export const rewritingCases: readonly Draft[] = [
  ...titles.map(([given, wanted]) => resemble(`Write this title in title case: ${given}`, wanted)),
  resemble('Write this text in upper case: stay in line', 'STAY IN LINE'),
  resemble('Write this text in lower case: MIND THE GAP', 'mind the gap'),
  resemble('Write these words in reverse order: one two three four', 'four three two one'),
  resemble('Write these words in alphabetical order: pear apple fig date', 'apple date fig pear'),
  resemble('Write these words in alphabetical order: Zoe adam Émile bob', 'adam bob Émile Zoe'),
  resemble('Write the initials of this name: John Ronald Reuel Tolkien', 'J. R. R. T.'),
  resemble('Write this text without vowels: a quiet morning', 'qt mrnng'),
  resemble('Write this title in title case: twenty thousand leagues under the sea', 'Twenty Thousand Leagues under the Sea'),
];
