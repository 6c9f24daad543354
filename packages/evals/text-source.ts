import { importError } from './import-error.ts';

/** Chunks of a file, as a read stream gives them. */
export type ByteSource = AsyncIterable<Uint8Array>;

/** One line of a file, counted from 1, without its end. */
export type TextLine = { readonly line: number; readonly text: string };

const LONGEST_LINE = 16 * 1024 * 1024;

/** Decodes UTF-8 chunk by chunk: drops a byte order mark, refuses other encodings with the line they begin at. */
export async function* decodeText(source: ByteSource, file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  const decode = (chunk?: Uint8Array): string => {
    try {
      return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
    } catch {
      throw importError({ file, line, field: '', expected: 'UTF-8 text' });
    }
  };
  for await (const chunk of source) {
    const text = decode(chunk);
    if (text !== '') yield text;
    line += text.split('\n').length - 1;
  }
  const rest = decode();
  if (rest !== '') yield rest;
}

/** Cuts text into lines at LF or CRLF; one line may span chunks but not exceed 16 Mi characters. */
export async function* readLines(chunks: AsyncIterable<string>, file: string): AsyncGenerator<TextLine> {
  let line = 1;
  let rest = '';
  for await (const chunk of chunks) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) yield { line: line++, text: withoutReturn(part) };
    if (rest.length > LONGEST_LINE) {
      throw importError({ file, line, field: '', expected: 'a line of at most 16 Mi characters' });
    }
  }
  if (rest !== '') yield { line, text: withoutReturn(rest) };
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
