import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** Lower-case hex sha256 of the text's UTF-8 bytes; pure, so that workflows and processes agree on ids. */
export const computeDigest = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)));

/** UTF-8 size of the text in bytes. */
export const computeByteLength = (text: string): number => utf8ToBytes(text).length;

/** JSON text with object keys sorted at every depth and undefined members left out: equal values, equal text. */
export const canonicalJson = (value: unknown): string => JSON.stringify(sortKeys(value as Json));

const sortKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).filter(([, member]) => member !== undefined);
  entries.sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, member]) => [key, sortKeys(member)]));
};
