// An entry's row → what a caller may know of it (docs/contract.md §3): one object for both doors, key by key, no I/O.
import type { EntryRow } from '../entries/members.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { presentedValues, type Values } from '../fields/stored.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { isOwner, type EntryAcl } from '../rules/access.ts';
import { mayReadPrivateMembers, type Caller } from '../rules/callers.ts';
import type { Status } from '../rules/publication.ts';
import { entryTitle } from '../fields/title.ts';
import { presentChannel, type PublicChannel } from './channel.ts';

/** An entry as callers see it. */
export interface PublicEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  readonly url: string;
  readonly channel: PublicChannel;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly status: Status;
  readonly publishAt: Date | null;
  /** Custom fields. Those that refer to entries say nothing, until resolvers/references/embed.ts has looked these up. */
  readonly fields: Values;
  readonly origin: Origin;
  /** Absent where the answer is limited to what the caller wrote. */
  readonly titleFieldValue?: string | null;
  /** Absent where it is not the caller's to read. */
  readonly acl?: EntryAcl;
  readonly owner?: string | null;
}

/** What leads from an entry to those that it refers to, for the same reader. Never told to anybody. */
export interface Origin {
  readonly channel: Channel;
  readonly reader: Reader;
  /** The ids in each reference field that has a value. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
}

/** An entry that another one refers to: all of it is wanted, or its names and title. */
export interface WantedEntry {
  readonly id: string;
  readonly whole: boolean;
}

/** Where the entries come from that an entry refers to, as one reader may see them. */
export interface ReferenceSource {
  /** The channel of the reader's site that a field refers to; null where it was deleted. */
  findChannel(field: Pick<FieldDefinition, 'channel'>): Promise<Channel | null>;
  /** An entry of a channel; null where the reader may not see it. */
  load(channel: Channel, wanted: WantedEntry): Promise<EntryRow | null>;
}

/** Whom an entry is presented to, and where the service is. */
export interface Reader {
  readonly caller: Caller;
  readonly baseUrl: string;
  readonly references: ReferenceSource;
}

/** An entry for a caller who may see it. `_acl` and `_owner` only for master and user tokens and for the owner. */
export function presentEntry(row: EntryRow, channel: Channel, reader: Reader): PublicEntry {
  const privileged = mayReadPrivateMembers(reader.caller) || isOwner(reader.caller.customer, row);
  const { fields, origin } = valuesOf(row, channel, reader);
  return {
    ...namesAndState(row, channel, reader),
    fields,
    origin,
    titleFieldValue: entryTitle(fields, channel),
    ...(privileged && { acl: row.acl, owner: row.owner }),
  };
}

/** What a writer set. */
export interface Sent {
  /** The names of custom fields. */
  readonly fields: readonly string[];
  /** Whether the access list and the owner were set, which a master token alone can do. */
  readonly acl: boolean;
  readonly owner: boolean;
}

/**
 * An entry for a caller who updated it and may not read it: its names and state, and the members that the caller
 * set, so that an update is no way to read.
 */
export function presentToWriter(row: EntryRow, channel: Channel, reader: Reader, sent: Sent): PublicEntry {
  return {
    ...namesAndState(row, channel, reader),
    ...valuesOf(row, channel, reader, (name) => sent.fields.includes(name)),
    ...(sent.acl && { acl: row.acl }),
    ...(sent.owner && { owner: row.owner }),
  };
}

/** Custom fields without the ids of other entries, and those ids apart. @param isTold which fields are told */
function valuesOf(
  row: EntryRow,
  channel: Channel,
  reader: Reader,
  isTold: (name: string) => boolean = () => true,
): Pick<PublicEntry, 'fields' | 'origin'> {
  const values = Object.entries(presentedValues(row, channel)).filter(([name]) => isTold(name));
  const references = compiledFields(channel).references;
  const targets = new Map<string, readonly string[]>();
  const fields = values.map(([name, value]) => {
    if (!references.has(name) || value === null) return [name, value] as const;
    targets.set(name, [value].flat() as string[]);
    return [name, Array.isArray(value) ? [] : null] as const;
  });
  // That an entry refers to what its reader may not see is not told either: it looks as one without references.
  const absent = [...references.values()].filter(
    ({ name }) => isTold(name) && !values.some(([other]) => other === name),
  );
  const empty = absent.map(({ name, type }) => [name, type === 'references' ? [] : null] as const);
  return { fields: Object.fromEntries([...fields, ...empty]), origin: { channel, reader, targets } };
}

type NamesAndState = Omit<PublicEntry, 'fields' | 'origin' | 'titleFieldValue' | 'acl' | 'owner'>;

function namesAndState(row: EntryRow, channel: Channel, { caller, baseUrl }: Reader): NamesAndState {
  return {
    id: row.id,
    shortId: row.shortId,
    slug: row.slug,
    url: `${baseUrl}/channels/${channel.id}/entries/${row.id}`,
    channel: presentChannel(channel, caller),
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    status: row.status,
    publishAt: row.publishAt,
  };
}
