import { computeByteLength, computeDigest } from './digest.ts';

/** Whose line of work a scope is. */
export interface ScopeIdentity {
  /** `ws:<id>` for a workspace, else the plain id of a user. */
  readonly ownerId: string;
  readonly scopeKey: string;
}

// Not of dots alone: `.` and `..` vanish from the address of a page.
const SAFE_PART = /^(?!\.+$)[A-Za-z0-9._:-]+$/;
const PART_BYTES = 90;
const READABLE = 60;
const HASH_HEX = 20;
const ATTRIBUTE_BYTES = 200;

const shorten = (text: string): string =>
  `${text.replaceAll(/[^A-Za-z0-9._:-]+/g, '-').slice(0, READABLE)}~${computeDigest(text).slice(0, HASH_HEX)}`;

const encodePart = (text: string): string => (SAFE_PART.test(text) && computeByteLength(text) <= PART_BYTES ? text : shorten(text));

/** Workflow id of a scope, `agent-signal/<owner>/<scopeKey>`; a part that is long or unsafe ends in `~` and a hash of its exact text. */
export const scopeWorkflowId = ({ ownerId, scopeKey }: ScopeIdentity): string => `agent-signal/${encodePart(ownerId)}/${encodePart(scopeKey)}`;

/** Value of a search attribute, cut like a part of the workflow id above 200 bytes. */
export const scopeAttribute = (text: string): string => (computeByteLength(text) <= ATTRIBUTE_BYTES ? text : shorten(text));
