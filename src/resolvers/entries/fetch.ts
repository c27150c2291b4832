// Fetches an entry by its id, short id or slug (docs/contract.md §5).
import type { EntryRow } from '../../entries/members.ts';
import type { Channel } from '../../generated/prisma/client.ts';
import { parseInclude, type Include } from '../../inputs/references.ts';
import { assertMembers, parseOnly } from '../../inputs/only.ts';
import { anyToken, mayReadPrivateMembers } from '../../rules/callers.ts';
import { entryKey, type EntryKey } from '../../rules/slug.ts';
import type { PublicEntry } from '../../serializers/entry.ts';
import { findChannel } from '../channels/find.ts';
import { authorizedByLoad, type Operation } from '../perform.ts';
import { assertIncludable, presentWithReferences } from '../references/embed.ts';
import { throwNoSuchEntry } from './find.ts';

export interface FetchArguments {
  readonly channel: string;
  readonly id: string;
  readonly useAcl?: boolean;
  /** REST: the members to return, and the reference fields to embed; both comma lists. */
  readonly only?: string | undefined;
  readonly include?: string | null | undefined;
}

interface FetchInput {
  readonly channel: string;
  readonly key: EntryKey | null;
  readonly only: readonly string[] | null;
  readonly include: Include | null;
}

interface FoundEntry {
  readonly channel: Channel;
  readonly row: EntryRow;
}

export const fetchEntry: Operation<FetchArguments, FetchInput, FoundEntry, EntryRow, PublicEntry> = {
  callers: anyToken,

  parse: ({ channel, id, only, include }) => ({
    channel,
    key: entryKey(id),
    only: parseOnly(only),
    include: parseInclude(include),
  }),

  load: async ({ channel: id, key, only, include }, context) => {
    const channel = await findChannel(id, context);
    assertMembers(only, channel, mayReadPrivateMembers(context.caller));
    await assertIncludable(include, channel, context.references);
    const row = key && (await context.db.entry.findVisible(channel, context.viewer, key));
    return { channel, row: row ?? throwNoSuchEntry() };
  },

  authorize: authorizedByLoad,

  run: ({ row }) => Promise.resolve(row),

  present: async (row, { channel }, { include }, context) => {
    const [entry] = await presentWithReferences([row], channel, include, context);
    return entry ?? throwNoSuchEntry();
  },
};
