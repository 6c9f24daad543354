import { arithmeticSkills } from './arithmetic.ts';
import { dateSkills } from './dates.ts';
import { extractionSkills } from './extraction.ts';
import { rewritingSkills } from './rewriting.ts';
import type { Skill } from './skill.ts';
import { unitSkills } from './units.ts';

type Question = { readonly messages: readonly { readonly role: string; readonly content: string }[] };

const SKILLS: readonly Skill[] = [...dateSkills, ...unitSkills, ...extractionSkills, ...rewritingSkills, ...arithmeticSkills];

/**
 * The bundled target: reads the last question by its grammar and computes the answer. What the grammar does not cover it
 * does not know, and says so; `steps` is the number of skills it tried.
 */
export function answer({ messages }: Question): { readonly output: string; readonly steps: number } {
  const question = (messages.findLast(({ role }) => role === 'user')?.content ?? '').trim();
  const asked = /: /.test(question) ? question : question.replace(/[?.!]+$/, '');
  let steps = 0;
  for (const { form, answer: compute } of SKILLS) {
    steps++;
    const match = form.exec(asked);
    const found = match === null ? null : compute(...match.slice(1));
    if (found !== null) return { output: found, steps };
  }
  return { output: 'I do not know.', steps };
}
