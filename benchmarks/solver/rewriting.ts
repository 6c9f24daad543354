import type { Skill } from './skill.ts';

const words = (text: string): string[] => text.trim().split(/\s+/);

function capitalise(word: string): string {
  return word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
}

/** Changes of case and of the order of words. */
export const rewritingSkills: readonly Skill[] = [
  { form: /^write this title in title case: ([\s\S]+)$/i, answer: (text = '') => words(text).map(capitalise).join(' ') },
  { form: /^write this text in upper case: ([\s\S]+)$/i, answer: (text = '') => text.toUpperCase() },
  { form: /^write this text in lower case: ([\s\S]+)$/i, answer: (text = '') => text.toLowerCase() },
  { form: /^write these words in reverse order: ([\s\S]+)$/i, answer: (text = '') => words(text).reverse().join(' ') },
  { form: /^write these words in alphabetical order: ([\s\S]+)$/i, answer: (text = '') => words(text).sort().join(' ') },
  {
    form: /^write the initials of this name: ([\s\S]+)$/i,
    answer: (text = '') =>
      words(text)
        .map((word) => `${word.charAt(0).toUpperCase()}.`)
        .join(''),
  },
];
