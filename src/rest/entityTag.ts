// Entity tags of entries (RFC 9110 §8.8.3, §13.1.2; docs/contract.md §5).
import { createHash } from 'node:crypto';
import { readTags } from '../inputs/ifMatch.ts';

/**
 * A strong tag of a response: the entry's version, for If-Match, and a digest of the very bytes, since the same version
 * reads differently to different callers and under another address.
 */
export function makeEntityTag(version: number, body: string): string {
  return `"${version}.${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
}

/** Whether `If-None-Match` names a response's tag, compared weakly. A malformed header names nothing. */
export function matchesTag(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (readTags(ifNoneMatch) ?? []).some((tag) => tag.replace(/^W\//, '') === current);
}
