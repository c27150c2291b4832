// The names of an entry's members that a message may suggest for a mistyped one: only those that the caller may know.
import { members, type MemberName } from '../../entries/members.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { ComparisonKind } from '../../fields/shape.ts';
import type { Channel } from '../../generated/prisma/client.ts';

/**
 * The fixed members, by the names of REST.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry
 */
export function listMemberNames(mayReadPrivate: boolean): string[] {
  const readable = Object.values(members).filter(({ readBy }) => readBy === 'readers' || mayReadPrivate);
  return readable.map(({ rest }) => rest);
}

/** A fixed member that can be compared, by its names in GraphQL and REST. */
export interface ComparedMember {
  readonly name: MemberName;
  readonly rest: string;
  readonly kind: ComparisonKind;
}

/**
 * The fixed members that a list can be filtered by.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry
 */
export function comparedMembers(mayReadPrivate: boolean): ComparedMember[] {
  const names = Object.keys(members) as MemberName[];
  return names
    .filter((name) => members[name].readBy === 'readers' || mayReadPrivate)
    .map((name) => ({ name, rest: members[name].rest, kind: members[name].kind }));
}

/** Converts GraphQL's name of a fixed member to REST's. A declared field with the same name takes precedence. */
export function restName(name: string, channel: Pick<Channel, 'fields'>): string {
  const isMember = Object.hasOwn(members, name) && !compiledFields(channel).byName.has(name);
  return isMember ? members[name as MemberName].rest : name;
}

/**
 * The fixed members and the channel's declared fields. Every token of the site may read the names of declared fields.
 */
export function fieldNames(channel: Pick<Channel, 'fields'>, mayReadPrivate: boolean): string[] {
  return [...listMemberNames(mayReadPrivate), ...compiledFields(channel).byName.keys()];
}
