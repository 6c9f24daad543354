import type { Skill } from './skill.ts';

const PATTERNS: Readonly<Record<string, RegExp>> = {
  'email address': /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/,
  url: /https?:\/\/[^\s<>")]+[^\s<>").,;]/,
  'phone number': /\+\d[\d -]{6,}\d/,
  'order number': /\b[A-Z]{1,3}-\d{3,}\b/,
  'invoice number': /\bINV-\d+\b/,
  'iso date': /\b\d{4}-\d{2}-\d{2}\b/,
  'amount in euros': /(?<=€ ?)\d[\d.,]*\d|\d[\d.,]*\d(?= ?(?:€|euros|EUR))/,
  'ip address': /\b\d{1,3}(?:\.\d{1,3}){3}\b/,
  'postal code': /\b\d{5}\b/,
};

function extract(what: string, text: string): string | null {
  return PATTERNS[what.toLowerCase()]?.exec(text)?.[0] ?? null;
}

function extractPerson(text: string): string | null {
  const match = /\b([A-Z]\w+(?: [A-Z]\w+)*),? (?:is|aged|\() ?(\d{1,3})/.exec(text);
  return match === null ? null : JSON.stringify({ name: match[1], age: Number(match[2]) });
}

/** Finds one thing of a known form in a text, or a person's name and age as JSON. */
export const extractionSkills: readonly Skill[] = [
  { form: /^extract the ([a-z ]+) from this text: ([\s\S]+)$/i, answer: (what = '', text = '') => extract(what, text) },
  {
    form: /^return the name and age of the person as json: ([\s\S]+)$/i,
    answer: (text = '') => extractPerson(text),
  },
  {
    form: /^how many words are in this text: ([\s\S]+)$/i,
    answer: (text = '') => String(text.trim().split(/\s+/).length),
  },
];
