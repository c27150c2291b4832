// The preconditions of a write: REST's `If-Match` and `If-None-Match` (RFC 9110 §13.1), GraphQL's `ifVersion`; and the
// same headers on writes to resources without entity tags.
import { fail } from '../base/errors.ts';

/** REST sends the headers, GraphQL the version. Without any of them the write has no precondition. */
export interface VersionArguments extends PreconditionHeaders {
  readonly ifVersion?: number | null;
}

/** The headers that make a write conditional, as they were sent. */
export interface PreconditionHeaders {
  readonly ifMatch?: string | undefined;
  readonly ifNoneMatch?: string | undefined;
}

/** The versions of an entry that a write accepts. */
export interface Preconditions {
  /** The accepted versions; null for any. */
  readonly versions: readonly number[] | null;
  /** The refused versions; `any` refuses every existing entry. */
  readonly otherThan: readonly number[] | 'any';
}

/** One entity tag, weak ones included (RFC 9110 §8.8.3). */
const tag = String.raw`(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"`;
const tagList = new RegExp(String.raw`^[ \t]*${tag}(?:[ \t]*,[ \t]*${tag})*[ \t]*$`);
const eachTag = new RegExp(tag, 'g');

/** Parses a header's list of entity tags; null if it is malformed. */
export function readTags(list: string): readonly string[] | null {
  return tagList.test(list) ? (list.match(eachTag) ?? []) : null;
}

/**
 * Parses the preconditions of a write to an entry. Tags that this service did not make name no version; weak tags name
 * one in `If-None-Match` alone, which compares weakly.
 * @throws bad_request if a header is malformed
 */
export function parsePreconditions({ ifVersion = null, ...headers }: VersionArguments): Preconditions {
  if (ifVersion !== null) return { versions: [ifVersion], otherThan: [] };
  const { matching, notMatching } = readPreconditions(headers);
  return {
    versions: matching === 'any' ? null : matching.flatMap(versionOf),
    otherThan: notMatching === 'any' ? 'any' : notMatching.map((each) => each.replace(/^W\//, '')).flatMap(versionOf),
  };
}

/** Whether a version of an entry fulfils the preconditions of a write (RFC 9110 §13.2.2). */
export function allowsVersion({ versions, otherThan }: Preconditions, version: number): boolean {
  return (versions === null || versions.includes(version)) && otherThan !== 'any' && !otherThan.includes(version);
}

/**
 * Whether a write to an existing resource without entity tags fulfils its preconditions: no tag matches it, and `*`
 * does.
 * @throws bad_request if a header is malformed
 */
export function allowsUntagged(headers: PreconditionHeaders): boolean {
  const { matching, notMatching } = readPreconditions(headers);
  return matching === 'any' && notMatching !== 'any';
}

/**
 * Parses the tags of both headers; `any` for `*`. Without `If-Match` everything matches, without `If-None-Match`
 * nothing does.
 */
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

/** The version in a strong tag. */
function versionOf(strongTag: string): number[] {
  const version = /^"([1-9]\d*)\.[\w-]+"$/.exec(strongTag)?.[1];
  return version === undefined ? [] : [Number(version)];
}
