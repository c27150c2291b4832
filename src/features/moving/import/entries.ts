// Stores the entries of an imported site, with their derived values, as each write does.
import type { EntryDraft, EntryValues, Written } from '../../../entries/draft.ts';
import type { TransactionClient } from '../../../entries/clients/transactionClient.ts';
import { columnName, mapSettable, type SettableMember } from '../../../entries/members.ts';
import { fail } from '../../../base/errors.ts';
import { takeFreely } from '../../../fields/patterns.ts';
import { entryTitle, indexedValues, storedForm } from '../../../fields/stored.ts';
import type { Channel } from '../../../generated/prisma/client.ts';
import type { ManagedChange } from '../../../management/manage.ts';
import type { Authorship } from '../../../rules/author.ts';
import type { ImportedRow } from './input.ts';
import { findOwners } from './owners.ts';
import { searchedText } from '../../../search/text.ts';

type ImportedEntry = ImportedRow<'entries'>;

/** Stores entries. @returns the users that were made, as changes @throws bad_request for a missing channel; conflict if two are the same entry */
export async function storeImportedEntries(
  db: TransactionClient,
  siteId: string,
  rows: readonly ImportedEntry[],
  authorship: Authorship,
): Promise<readonly ManagedChange[]> {
  const { ownerOf, changes } = await findOwners(
    db,
    rows.map(({ owner }) => owner),
    authorship.now,
  );
  const byChannel = new Map<string, ImportedEntry[]>();
  for (const row of rows) byChannel.set(row.channel, [...(byChannel.get(row.channel) ?? []), row]);
  for (const [id, entries] of byChannel) {
    const channel = await db.channel.findUnique({ where: { siteId_id: { siteId, id } } });
    if (channel === null) fail('bad_request', `An entry is of the channel "${id}", which the site does not have.`);
    await storeDrafts(
      db,
      channel,
      entries.map((entry) => toDraft({ ...entry, owner: ownerOf(entry.owner) }, channel)),
      authorship,
    );
  }
  return changes;
}

async function storeDrafts(
  db: TransactionClient,
  channel: Channel,
  drafts: EntryDraft[],
  authorship: Authorship,
): Promise<void> {
  const written = await db.entry.insertDrafts(channel, drafts, authorship);
  for (const [index, draft] of drafts.entries()) {
    const outcome = written[index];
    if (isStored(outcome)) continue;
    // Perhaps two of them have the same value in a unique field: storing them one by one identifies the entry.
    const [alone] = drafts.length === 1 ? [outcome] : await db.entry.insertDrafts(channel, [draft], authorship);
    if (isStored(alone)) continue;
    const hasTakenValues = typeof alone === 'object' && 'taken' in alone;
    const [unclaimed] = hasTakenValues
      ? await db.entry.insertDrafts(channel, [withoutUniqueness(draft)], authorship)
      : [];
    if (isStored(unclaimed)) continue;
    fail('conflict', `The entry ${draft.id} has the id, the short id or the slug of another entry.`);
  }
}

function isStored(outcome: Written | undefined): boolean {
  return typeof outcome === 'object' && !('taken' in outcome);
}

/**
 * An entry may have the unique value of another one: a field became unique when both had it already. Only the older one
 * claims it.
 */
function withoutUniqueness(draft: EntryDraft): EntryDraft {
  const indexed = draft.values.indexed.map((value) => ({ ...value, unique: false }));
  return { ...draft, values: { ...draft.values, indexed } };
}

function toDraft(row: ImportedEntry, channel: Channel): EntryDraft {
  const { data, kept } = storedForm(row.values, channel, takeFreely);
  return {
    id: row.id,
    shortId: row.short_id,
    version: row.version,
    times: { createdAt: row.created_at, updatedAt: row.updated_at },
    values: {
      ...mapSettable<Pick<EntryValues, SettableMember>>((name) => row[columnName(name)]),
      data,
      kept,
      title: entryTitle(data, channel),
      indexed: indexedValues(data, channel),
      searched: searchedText(data, channel),
    },
  };
}
