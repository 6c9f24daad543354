/** A prompt template whose `{{name}}` places are filled from the columns of a row. */
export type PromptTemplate = {
  readonly names: readonly string[];
  readonly fill: (values: Readonly<Record<string, string>>) => string;
};

const PLACE = /\{\{\s*([^{}]+?)\s*\}\}/g;
const NAME = /^[\p{L}_][\p{L}\p{N}_ .:-]*$/u;

/** Parses a template; the other answer names the first part that is no plain `{{name}}` (filters and tags are not supported). */
export function parseTemplate(text: string): { readonly template: PromptTemplate } | { readonly unsupported: string } {
  const places = [...text.matchAll(PLACE)].map((match) => match[1] ?? '');
  const strange = places.find((place) => !NAME.test(place));
  if (strange !== undefined) return { unsupported: `{{${strange}}}` };
  const tag = /\{%[^%]*%\}|\{\{|\}\}/.exec(text.replaceAll(PLACE, ''));
  if (tag !== null) return { unsupported: tag[0] };
  const fill = (values: Readonly<Record<string, string>>): string => text.replaceAll(PLACE, (_, name: string) => values[name] ?? '');
  return { template: { names: [...new Set(places)], fill } };
}
