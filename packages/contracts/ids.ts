import { computeByteLength, computeDigest } from './digest.ts';

// Not of dots alone: `.` and `..` vanish from the address of a page.
const SAFE_PART = /^(?!\.+$)[A-Za-z0-9._:-]+$/;
const PART_BYTES = 64;
const HASH_HEX = 16;

/** Largest workflow id we derive, in bytes; the server allows 1,000 but SQL visibility columns 255. */
export const MAX_ID_BYTES = 200;

/** Turns any business key into one id part of `[A-Za-z0-9._:-]`, ≤ 64 bytes; a changed or cut key ends in a hash of the original, so different keys stay different. */
export const encodeIdPart = (key: string): string => {
  if (SAFE_PART.test(key) && computeByteLength(key) <= PART_BYTES) return key;
  const readable = key.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(0, PART_BYTES - HASH_HEX - 1);
  return `${readable}-${computeDigest(key).slice(0, HASH_HEX)}`;
};

export interface RunIdentity {
  readonly entity: string;
  readonly scope: string;
  readonly dryRun?: boolean;
}

/** Workflow id of a run: `<entity>/<scope>`; a dry run has an id of its own, so it never blocks or joins a real one. */
export const runWorkflowId = ({ entity, scope, dryRun }: RunIdentity): string =>
  `${entity}/${encodeIdPart(scope)}${dryRun === true ? '-dry-run' : ''}`;

export interface ChunkIdentity {
  readonly entity: string;
  readonly scope: string;
  readonly epoch: number;
  readonly page: number;
  readonly chunk: number;
}

/** Workflow id of a chunk child: `<entity>/<scope>/e<epoch>/<page>/<chunk>`, whatever the id of its parent. */
export const chunkWorkflowId = ({ entity, scope, epoch, page, chunk }: ChunkIdentity): string =>
  `${entity}/${encodeIdPart(scope)}/e${epoch}/${page}/${chunk}`;

/** Workflow id of the limiter of a key. */
export const limiterWorkflowId = (key: string): string => `flow-control/${encodeIdPart(key)}`;
