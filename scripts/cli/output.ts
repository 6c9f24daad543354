import pc from 'picocolors';

/** Where a command's answers go: documents to stdout, notes for people to stderr. */
export interface Output {
  readonly isJson: boolean;
  /** True where a person watches: colours, bars and spinners are for them only. */
  readonly isTerminal: boolean;
  readonly colors: ReturnType<typeof pc.createColors>;
  /** The command's one answer: JSON with `--json`, else the text. */
  document(value: unknown, toText: () => string): void;
  /** One line of a stream: a JSON document with `--json`, else the text. */
  event(value: unknown, toText: () => string): void;
  /** A sentence for people on stderr; silent with `--json`. */
  note(sentence: string): void;
}

/** Creates the output of one command. */
export function createOutput(isJson: boolean): Output {
  const isTerminal = process.stdout.isTTY === true && !isJson;
  const print = (value: unknown, toText: () => string): void => {
    process.stdout.write(`${isJson ? JSON.stringify(value) : toText()}\n`);
  };
  return {
    isJson,
    isTerminal,
    colors: pc.createColors(isTerminal && pc.isColorSupported),
    document: print,
    event: print,
    note: (sentence) => {
      if (!isJson) process.stderr.write(`${sentence}\n`);
    },
  };
}
