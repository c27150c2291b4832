// Entity tags and the conditions on them (RFC 9110 §8.8.3, §13.1; docs/contract.md §5).
import { createHash } from 'node:crypto';
import { fail } from '../errors.ts';

/** One or more entity tags, weak ones included (RFC 9110 §8.8.3). */
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t]*${tag}(?:[ \t]*,[ \t]*${tag})*[ \t]*$`);
const tags = new RegExp(tag, 'g');

/**
 * A strong tag of an answer: the entry's version, for If-Match, and a digest of the very bytes, since the same version
 * reads differently to different callers and under another address.
 */
export function entityTag(version: number, body: string): string {
  return `"${version}.${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
}

/**
 * The versions that `If-Match` allows a write for, or undefined for any. Weak tags, and tags that are not ours, match
 * none.
 * @throws bad_request where it is malformed
 */
export function versionsOf(ifMatch: string | undefined): number[] | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  if (!tagList.test(ifMatch)) fail('bad_request', 'If-Match is a list of entity tags, or *.');
  return (ifMatch.match(tags) ?? []).flatMap((each) => {
    const version = /^"([1-9]\d*)\.[\w-]+"$/.exec(each)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** Whether `If-None-Match` names an answer's tag, compared weakly. What is malformed names nothing. */
export function isNamedBy(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  if (!tagList.test(ifNoneMatch)) return false;
  return (ifNoneMatch.match(tags) ?? []).some((each) => each.replace(/^W\//, '') === current);
}
