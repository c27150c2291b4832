// The names of an entry's members that a message may suggest for a mistyped one: those alone that the caller may know.
import { members, type MemberName } from '../entries/members.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { Channel } from '../generated/prisma/client.ts';

/**
 * The fixed members, by the names of REST.
 * @param mayReadPrivate whether the caller may read `_owner` and `_acl` of every entry
 */
export function memberNames(mayReadPrivate: boolean): string[] {
  const known = Object.values(members).filter(({ readBy }) => readBy === 'readers' || mayReadPrivate);
  return known.map(({ rest }) => rest);
}

/**
 * The name in REST of what GraphQL calls so: fixed members have other names in the schema. A declared field of such a name goes
 * first.
 */
export function restName(name: string, channel: Pick<Channel, 'fields'>): string {
  const isMember = Object.hasOwn(members, name) && !compiledFields(channel).byName.has(name);
  return isMember ? members[name as MemberName].rest : name;
}

/** The fixed members and the fields that a channel declares, which every token of the site may read. */
export function fieldNames(channel: Pick<Channel, 'fields'>, mayReadPrivate: boolean): string[] {
  return [...memberNames(mayReadPrivate), ...compiledFields(channel).byName.keys()];
}
