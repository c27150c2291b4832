// The versions of an entry that a write is meant for: REST's `If-Match` and `If-None-Match` (RFC 9110 §13.1), GraphQL's `ifVersion`;
// and the same headers on writes to what has no entity tags.
import { fail } from '../base/errors.ts';

/** REST sends the headers, GraphQL the version. Without any of them the write is meant for any version. */
export interface VersionArguments extends PreconditionHeaders {
  readonly ifVersion?: number | null;
}

/** The headers that make a write conditional, as they were sent. */
export interface PreconditionHeaders {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The versions that an entry may have. */
export interface Preconditions {
  /** The write is meant for these; null: for any. */
  readonly versions: readonly number[] | null;
  /** The write is not meant for these; `any`: for no entry that there is. */
  readonly otherThan: readonly number[] | 'any';
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
 * The preconditions of a write to an entry. Tags that this service did not make name no version; weak tags do so in `If-None-Match`
 * alone, which compares weakly.
 * @throws bad_request where a header is malformed
 */
export function parsePreconditions({ ifVersion = null, ...headers }: VersionArguments): Preconditions {
  if (ifVersion !== null) return { versions: [ifVersion], otherThan: [] };
  const { matching, notMatching } = readPreconditions(headers);
  return {
    versions: matching === 'any' ? null : matching.flatMap(versionOf),
    otherThan: notMatching === 'any' ? 'any' : notMatching.map((each) => each.replace(/^W\//, '')).flatMap(versionOf),
  };
}

/** Whether an entry of a version fulfils the preconditions of a write (RFC 9110 §13.2.2). */
export function allowsVersion({ versions, otherThan }: Preconditions, version: number): boolean {
  return (versions === null || versions.includes(version)) && otherThan !== 'any' && !otherThan.includes(version);
}

/**
 * Whether a write to what exists, and has no entity tags, fulfils its preconditions: no tag matches it, and `*` does.
 * @throws bad_request where a header is malformed
 */
export function allowsUntagged(headers: PreconditionHeaders): boolean {
  const { matching, notMatching } = readPreconditions(headers);
  return matching === 'any' && notMatching !== 'any';
}

/** The tags of both headers; `any` for `*`. Without `If-Match` everything matches, without `If-None-Match` nothing does. */
function readPreconditions({ ifMatch = '*', ifNoneMatch }: PreconditionHeaders): {
  readonly matching: readonly string[] | 'any';
  readonly notMatching: readonly string[] | 'any';
} {
  return {
    matching: readTagsOrAny(ifMatch, 'If-Match'),
    notMatching: ifNoneMatch === undefined ? [] : readTagsOrAny(ifNoneMatch, 'If-None-Match'),
  };
}

function readTagsOrAny(list: string, name: string): readonly string[] | 'any' {
  if (list.trim() === '*') return 'any';
  return readTags(list) ?? fail('bad_request', `${name} must be a list of entity tags, or *.`);
}

/** The version that a strong tag names. */
function versionOf(strongTag: string): number[] {
  const version = /^"([1-9]\d*)\.[\w-]+"$/.exec(strongTag)?.[1];
  return version === undefined ? [] : [Number(version)];
}
