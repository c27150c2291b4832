// `only`: the members of an entry that a REST response has (docs/contract.md §5).
import { compiledFields } from '../fields/compiled.ts';
import { fail } from '../errors.ts';
import { comparableField } from '../entries/comparable.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { didYouMean, nearestName } from '../nearestName.ts';
import { fieldNames } from './names.ts';

/** The members that a comma list names; null where there is none, for all members. */
export function parseOnly(list: string | undefined): readonly string[] | null {
  return list === undefined ? null : list.split(',');
}

/**
 * Anybody may name `_acl` and `_owner`, since answers leave them out for those who may not read them.
 * @param mayReadPrivate whether the caller may read them of every entry, so that a message may suggest them
 * @throws bad_request for a name that is not a member of the channel's entries
 */
export function assertMembers(only: readonly string[] | null, channel: Channel, mayReadPrivate: boolean): void {
  for (const name of only ?? []) {
    if (comparableField(name, channel, true) === null && !compiledFields(channel).references.has(name)) {
      const hint = didYouMean(nearestName(name, fieldNames(channel, mayReadPrivate)));
      fail('bad_request', `only: ${JSON.stringify(name)} is not a member of the channel's entries${hint}`);
    }
  }
}
