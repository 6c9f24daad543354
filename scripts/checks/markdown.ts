/** A command line shown in a document, cut into words: quotes removed, comments and what follows a pipe left out. */
export type ShownCommand = readonly string[];

const FENCE = /^```(?:sh|bash|shell|console)\n([\s\S]*?)^```/gm;
const FENCES = /^```[\s\S]*?^```/gm;
const INLINE_COMMAND = /`((?:\$ )?(?:strata|npm run|\.\/scripts\/\w)[^`]*)`/g;
const WORD = /"(?:[^"\\]|\\.)*"|'[^']*'|[^\s'"]+/g;
const END_OF_COMMAND = /^(?:\||\|\||&&|;|>|>>|<|&|#.*)$/;

const splitCommand = (line: string): ShownCommand => {
  const words = (line.replace(/^\$ /, '').match(WORD) ?? []).map((word) => word.replace(/^(['"])([\s\S]*)\1$/, '$2'));
  const end = words.findIndex((word) => END_OF_COMMAND.test(word));
  return end === -1 ? words : words.slice(0, end);
};

/** Every command line of the shell blocks of a document, and those that stand in a sentence. */
export function listCommands(text: string): ShownCommand[] {
  const blocks = [...text.matchAll(FENCE)].flatMap(([, block = '']) => block.replaceAll(/\\\n\s*/g, ' ').split('\n'));
  const inline = [...text.replaceAll(FENCES, '').matchAll(INLINE_COMMAND)].map(([, line = '']) => line);
  return [...blocks, ...inline].map((line) => splitCommand(line.trim())).filter((words) => words.length > 0);
}

/** Targets of the links and images of a document, those to other hosts left out. */
export function listLinks(text: string): string[] {
  const prose = text.replaceAll(FENCES, '').replaceAll(/`[^`\n]*`/g, '');
  const targets = [...prose.matchAll(/\]\(([^)\s]+)[^)]*\)/g), ...prose.matchAll(/<img[^>]*\bsrc="([^"]+)"/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** Anchors of the headings of a document, as GitHub makes them. */
export function listAnchors(text: string): string[] {
  const headings = [...text.replaceAll(FENCES, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
