// An entry that another one refers to, as the latter's fields have it (docs/contract.md §6).
import type { EntryRow } from '../entries/members.ts';
import { shownValues } from '../fields/stored.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { entryTitle } from '../fields/title.ts';

/** What stands for an entry. */
export interface Stub {
  readonly id: string;
  readonly channel: string;
  readonly slug: string;
  /** The first 1,000 characters of its title. */
  readonly title_field_value: string | null;
}

/** What stands for an entry that the reader may see. */
export function presentStub(row: EntryRow, channel: Channel): Stub {
  const title = entryTitle(shownValues(row, channel), channel);
  return { id: row.id, channel: channel.id, slug: row.slug, title_field_value: title };
}
