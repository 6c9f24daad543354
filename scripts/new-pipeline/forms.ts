const capitalize = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** Every case in which code and prose write an entity: kebab, snake, SCREAMING, camel, Pascal, spaced, Spaced. */
export const computeForms = (entity: string): readonly string[] => {
  const words = entity.split('-');
  const [first = '', ...rest] = words;
  const tail = rest.map(capitalize).join('');
  const [snake, spaced] = [words.join('_'), words.join(' ')];
  return [entity, snake, snake.toUpperCase(), first + tail, capitalize(first) + tail, spaced, capitalize(spaced)];
};

/** The text with one entity, of at least two words, replaced by another in all its cases. */
export const substituteEntity = (text: string, from: string, to: string): string => {
  const target = computeForms(to);
  const forms = new Map(computeForms(from).map((form, index) => [form, target[index] ?? to]));
  return text.replaceAll(new RegExp([...forms.keys()].join('|'), 'g'), (form) => forms.get(form) ?? form);
};
