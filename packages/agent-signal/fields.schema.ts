import { z } from 'zod';
import { computeByteLength } from '../contracts/digest.ts';
import { toStorable } from '../contracts/json-value.ts';

const ID_BYTES = 200;
const SOURCE_ID_BYTES = 600;
const NODE_ID_BYTES = 1_000;
const TEXT_BYTES = 64 * 1_024;
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const LOCAL_DATE = /^\d{4}-\d{2}-\d{2}$/;

const identifier = (bytes: number) =>
  z
    .string()
    .transform((value) => toStorable(value).trim())
    .refine((value) => value !== '', { error: 'must not be blank' })
    .refine((value) => computeByteLength(value) <= bytes, { error: `must not exceed ${bytes} bytes` });

/** Non-blank text ≤ 200 bytes, trimmed. */
export const id = identifier(ID_BYTES);

/** Identity of a fact within its scope and type, ≤ 600 bytes. */
export const sourceId = identifier(SOURCE_ID_BYTES);

/** Name of a node or chain, ≤ 1,000 bytes. */
export const nodeId = identifier(NODE_ID_BYTES);

/** Text ≤ 64 KiB; what no text column can hold (NUL, half a character) is replaced. */
export const text = z
  .string()
  .transform((value) => toStorable(value))
  .refine((value) => computeByteLength(value) <= TEXT_BYTES, { error: 'must not exceed 64 KiB' });

/** Integer ≥ 0. */
export const int = z.int().min(0);

/** UTC with milliseconds. */
export const iso = z.string().refine((value) => ISO_MS.test(value) && !Number.isNaN(Date.parse(value)), {
  error: 'must be UTC with milliseconds, like 2026-05-03T18:30:00.000Z',
});

/** A calendar day, YYYY-MM-DD. */
export const localDate = z.string().refine((value) => LOCAL_DATE.test(value) && !Number.isNaN(Date.parse(value)), {
  error: 'must be a day like 2026-05-03',
});

/** From 0 to 1. */
export const share = z.number().min(0).max(1);
