// The names of an entry's members that a message may suggest for a mistyped one: those alone that the caller may know.
import { members } from '../entries/members.ts';
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

/** The fixed members and the fields that a channel declares, which every token of the site may read. */
export function fieldNames(channel: Pick<Channel, 'fields'>, mayReadPrivate: boolean): string[] {
  return [...memberNames(mayReadPrivate), ...compiledFields(channel).byName.keys()];
}
