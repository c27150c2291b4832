// The versions of an entry that a write is meant for: REST's `If-Match` (RFC 9110 §13.1.1), GraphQL's `ifVersion`.
import { fail } from '../errors.ts';

/** REST sends the header, GraphQL the version. Without either the write is meant for any version. */
export interface VersionArguments {
  readonly ifMatch?: string | undefined;
  readonly ifVersion?: number | null;
}

/** One entity tag, weak ones included (RFC 9110 §8.8.3). */
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t]*${tag}(?:[ \t]*,[ \t]*${tag})*[ \t]*$`);
const eachTag = new RegExp(tag, 'g');

/** The entity tags of a header that lists some; null where it is malformed. */
export function readTags(list: string): readonly string[] | null {
  return tagList.test(list) ? (list.match(eachTag) ?? []) : null;
}

/**
 * The versions that a write is meant for; null: any. Weak tags, and tags that this service did not make, match none.
 * @throws bad_request where `If-Match` is malformed
 */
export function parseVersions({ ifMatch, ifVersion = null }: VersionArguments): readonly number[] | null {
  if (ifVersion !== null) return [ifVersion];
  if (ifMatch === undefined || ifMatch.trim() === '*') return null;
  const tags = readTags(ifMatch) ?? fail('bad_request', 'If-Match must be a list of entity tags, or *.');
  return tags.flatMap((each) => {
    const version = /^"([1-9]\d*)\.[\w-]+"$/.exec(each)?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}
