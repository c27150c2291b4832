// `only`: the members of an entry that a REST response has (docs/contract.md §5).
import { compiledFields } from '../fields/compiled.ts';
import { fail } from '../errors.ts';
import { comparableField } from '../entries/comparable.ts';
import type { Channel } from '../generated/prisma/client.ts';

/** The members that a comma list names; null where there is none, for all members. */
export function parseOnly(list: string | undefined): readonly string[] | null {
  return list === undefined ? null : list.split(',');
}

/** @throws bad_request for a name that is not a member of the channel's entries */
export function assertMembers(only: readonly string[] | null, channel: Channel): void {
  for (const name of only ?? []) {
    if (comparableField(name, channel, true) === null && !compiledFields(channel).references.has(name)) {
      fail('bad_request', `only: ${JSON.stringify(name)} is not a member of the channel's entries.`);
    }
  }
}
