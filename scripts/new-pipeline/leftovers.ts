import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXIT, UserError } from '../../packages/runtime/user-error.ts';
import { EXAMPLE, filesOf } from './example.ts';
import { substituteEntity } from './forms.ts';
import { listParts } from './parts.ts';
import type { Part } from './parts.ts';

/** When a point is decided: what the pipeline is, how it is built, how it is shipped. */
export type Stage = 'plan' | 'build' | 'ship';

/** A part that is still the example's, and what its author has to decide. */
export interface Leftover {
  readonly stage: Stage;
  readonly file: string;
  readonly line: number;
  readonly part: string;
  readonly decide: string;
}

type Point = Pick<Leftover, 'stage' | 'decide'>;

/** What an author decides, by part; comments and tests have a part each beside these. */
export const POINTS: Readonly<Record<string, Point>> = {
  description: { stage: 'plan', decide: 'what a run does, in one sentence' },
  eligible: { stage: 'plan', decide: 'which rows a run is about: the filter, and a sort key that never changes' },
  executeItem: { stage: 'plan', decide: 'what is done with one item, and how it fails' },
  fields: { stage: 'build', decide: 'the input and the values it may have' },
  texts: { stage: 'build', decide: 'noun and verbs of the messages, such as that of a dry run' },
  limits: { stage: 'build', decide: 'how hard it may push whatever it calls' },
  plan: { stage: 'build', decide: 'how long an item may take; page and chunk sizes where 50 and 20 do not suit' },
  retry: { stage: 'build', decide: 'attempts of an item and the waits between them' },
  preflight: { stage: 'build', decide: 'what must be true before a run begins' },
  finalize: { stage: 'build', decide: 'what is written when a run ends' },
  announce: { stage: 'build', decide: 'nothing, once your own writes have taken its place' },
  smokeInput: { stage: 'ship', decide: 'an input for a first, small run' },
};

const pointOf = ({ name }: Part): Point | undefined => {
  if (name.startsWith('test ')) return { stage: 'ship', decide: 'what this pipeline must do, as a test' };
  if (name.startsWith('comment of ')) return { stage: 'ship', decide: 'the sentence that says what this is' };
  return POINTS[name];
};

/** The parts of a copy that are still, layout aside, those of the example in the copy's name. A comment above a part says why it stays and makes it the copy's own. */
export const compareParts = (example: string, copy: string): readonly (Part & Point)[] => {
  const known = listParts(example);
  const isSame = (part: Part): boolean => known.some(({ name, code }) => name === part.name && code === part.code);
  return listParts(copy)
    .filter(isSame)
    .flatMap((part) => {
      const point = pointOf(part);
      return point === undefined ? [] : [{ ...part, ...point }];
    });
};

const STAGES: readonly Stage[] = ['plan', 'build', 'ship'];

/** What a pipeline still has of the example, by stage; throws UserError when it is none of the checkout's pipelines, or the example. */
export const findLeftovers = (root: string, entity: string): readonly Leftover[] => {
  const examples = filesOf(EXAMPLE);
  const files = filesOf(entity).map((file, index) => ({ file, example: examples[index] ?? '' }));
  const missing = files.find(({ file }) => !existsSync(join(root, file)));
  if (missing !== undefined) throw new UserError(`${missing.file} is missing: is ${entity} the kebab name of a pipeline?`, EXIT.unreachable);
  if (entity === EXAMPLE) throw new UserError(`${EXAMPLE} is the example itself`);
  const read = (file: string): string => readFileSync(join(root, file), 'utf8');
  const left = files.flatMap(({ file, example }) =>
    compareParts(substituteEntity(read(example), EXAMPLE, entity), read(file)).map(({ stage, decide, line, name }) => ({
      stage,
      file,
      line,
      part: name,
      decide,
    })),
  );
  return left.toSorted((one, other) => STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage));
};
