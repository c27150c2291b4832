// Creates of one caller in one channel that come at the same time are stored by one call.
import { leavesConnection } from '../database/databaseErrors.ts';
import type { EntryStatements } from '../database/statements.ts';
import type { Channel } from '../generated/prisma/client.ts';
import type { CallerShares } from '../shares.ts';
import type { ModelContext } from './modelContext.ts';
import type { TimedDraft, Written } from './draft.ts';
import { storeDraft, storeDrafts } from './write.ts';

/** Stores a new entry together with others that were decided on the same version of the channel. */
export function joinCreates(
  join: CallerShares['join'],
  statements: EntryStatements,
): NonNullable<ModelContext['joinCreate']> {
  return (channel, timed) => {
    const { a, b, c } = timed.draft.values.searched;
    const kind = `create ${channel.siteId} ${channel.uid} ${channel.version}`;
    return join(kind, timed, a.length + b.length + c.length, (all) => storeTogether(statements, channel, all));
  };
}

/**
 * One entry that cannot be stored must not fail the others: if none was stored, because of a value that two of them share or
 * that the database refuses, each is stored by itself.
 */
async function storeTogether(
  statements: EntryStatements,
  channel: Channel,
  drafts: readonly TimedDraft[],
): Promise<readonly (Written | Promise<Written>)[]> {
  if (drafts.length > 1) {
    const together = await storeDrafts(statements, channel, drafts).catch(nullIfRefused);
    if (together?.some((written) => written !== 'duplicate')) return together;
  }
  return drafts.map((draft) => storeDraft(statements, channel, draft));
}

/** @throws the error unless the database refused the statement: then nothing is stored */
function nullIfRefused(error: unknown): null {
  if (leavesConnection(error)) return null;
  throw error;
}
