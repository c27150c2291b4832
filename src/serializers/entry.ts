// Presents an entry's row to a caller (docs/contract.md §3): one object for REST and GraphQL, built member by member,
// so that a new column stays private until it is listed here; and that object as REST writes it. No I/O.
import type { Budget } from '../budget.ts';
import type { EntryRow, PrivateMember, RestName } from '../entries/members.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { entryTitle, currentForm, presentedValues, type Values } from '../fields/stored.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { isOwner, type EntryAcl } from '../rules/access.ts';
import type { Caller, Viewer } from '../rules/callers.ts';
import type { Status } from '../rules/publication.ts';

/** An entry as callers see it. */
export interface PublicEntry {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  readonly url: string;
  /** The channel's row: GraphQL presents it if it is selected, REST writes its id. */
  readonly channel: Channel;
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly status: Status;
  readonly publishAt: Date | null;
  /** Custom fields. Reference fields are empty until src/resolvers/references/embed.ts has followed them. */
  readonly fields: Values;
  readonly origin: ReferenceTargets;
  /** Absent if the caller may see only what they wrote. */
  readonly titleFieldValue?: string | null;
  /** `acl` and `owner` are absent if the caller may not read them. */
  readonly acl?: EntryAcl;
  readonly owner?: string | null;
}

/** What is needed to follow an entry's references for the same reader. It never appears in a response. */
export interface ReferenceTargets {
  readonly channel: Channel;
  readonly reader: Reader;
  /** The ids in each reference field that has a value. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** How many ids these are. */
  readonly count: number;
  /** How many bytes the entry's values have as JSON. */
  readonly size: number;
  /** Present if the entry was just written: the reader of its own fields, whose budget refuses nothing. */
  readonly written?: Reader;
}

/** Referenced entries that are to be loaded. */
export interface WantedEntries {
  readonly ids: readonly string[];
  /** false: only their names and titles are needed. */
  readonly whole: boolean;
}

/** Loads the entries that other entries refer to, as far as one reader may see them. */
export interface ReferenceSource {
  /** The channel of the reader's site that a field refers to; null if it was deleted. */
  readonly findTarget: (field: Pick<FieldDefinition, 'channel'>) => Promise<Channel | null>;
  /** Entries of a channel, in the order of the ids, without those that do not exist or that the reader may not see. */
  readonly load: (channel: Channel, wanted: WantedEntries) => Promise<readonly EntryRow[]>;
}

/** The caller to whom an entry is presented, and the address of the service. */
export interface Reader {
  readonly caller: Caller;
  readonly viewer: Viewer;
  readonly baseUrl: string;
  readonly references: ReferenceSource;
  readonly budget: Pick<Budget, 'takePatternWork'>;
}

/** Presents an entry to a caller who may see it; `_acl` and `_owner` only to master tokens, user tokens and the owner. */
export function presentEntry(row: EntryRow, channel: Channel, reader: Reader): PublicEntry {
  const fields = { ...presentedValues(row, channel, reader.budget.takePatternWork) };
  const targets = new Map<string, readonly string[]>();
  let count = 0;
  for (const { name, type } of compiledFields(channel).references.values()) {
    const ids = [(Object.hasOwn(fields, name) ? fields[name] : null) ?? []].flat() as string[];
    if (ids.length > 0) targets.set(name, ids);
    count += ids.length;
    // Reference fields are always present: one that is empty, holds what does not fit it or refers to hidden entries looks
    // the same.
    fields[name] = type === 'references' ? [] : null;
  }
  const isPrivileged = reader.viewer.mayReadPrivateMembers || isOwner(reader.caller.customer, row);
  const privateMembers: Required<Pick<PublicEntry, PrivateMember>> = { acl: row.acl, owner: row.owner };
  return {
    id: row.id,
    shortId: row.shortId,
    slug: row.slug,
    url: `${reader.baseUrl}/channels/${channel.id}/entries/${row.id}`,
    channel,
    version: row.version,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
    status: row.status,
    publishAt: row.publishAt,
    fields,
    origin: { channel, reader, targets, count, size: row.size },
    titleFieldValue: entryTitle(fields, channel),
    ...(isPrivileged && privateMembers),
  };
}

/** What a writer set. The access list and the owner are present only if a master token set them. */
export interface SentMembers {
  readonly fields: Values;
  readonly acl?: unknown;
  readonly owner?: unknown;
}

/**
 * Presents an entry to a caller who updated it and may not read it: its names and state, and the members that the caller set.
 * Nothing else, because an update must not become a way to read.
 */
export function presentToWriter(row: EntryRow, channel: Channel, reader: Reader, sent: SentMembers): PublicEntry {
  const {
    titleFieldValue: _title,
    acl: _acl,
    owner: _owner,
    fields,
    origin,
    ...names
  } = presentEntry(row, channel, reader);
  const isSent = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(sent.fields, name);
  return {
    ...names,
    fields: Object.fromEntries(Object.entries(fields).filter(isSent)),
    origin: { ...origin, targets: new Map([...origin.targets].filter(isSent)) },
    ...(sent.acl !== undefined && { acl: row.acl }),
    ...(sent.owner !== undefined && { owner: row.owner }),
  };
}

/**
 * An entry as REST writes it, with custom fields beside the fixed members. JSON omits members that are undefined.
 * @param only the members to write besides the id; null: all of them
 */
export function restEntry(entry: PublicEntry, only: readonly string[] | null = null): Record<string, unknown> {
  const fixed = {
    id: entry.id,
    url: entry.url,
    short_id: entry.shortId,
    slug: entry.slug,
    channel: entry.channel.id,
    created_at: entry.createdAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
    title_field_value: entry.titleFieldValue,
    _status: entry.status,
    _publish_at: entry.publishAt?.toISOString() ?? null,
    _acl: entry.acl,
    _owner: entry.owner,
  } satisfies Record<RestName, unknown>;
  const whole = { ...fixed, ...entry.fields };
  if (only === null) return whole;
  return Object.fromEntries(Object.entries(whole).filter(([name]) => name === 'id' || only.includes(name)));
}

/** A short form of an entry, which appears in the reference fields of other entries (docs/contract.md §6). */
export interface Stub {
  readonly id: string;
  readonly channel: string;
  readonly slug: string;
  /** The first 1,000 characters of its title. */
  readonly title_field_value: string | null;
}

/** Presents the stub of an entry that the reader may see. */
export function presentStub(row: EntryRow, channel: Channel, { budget }: Pick<Reader, 'budget'>): Stub {
  const title = entryTitle(currentForm(row, channel, budget.takePatternWork).data, channel);
  return { id: row.id, channel: channel.id, slug: row.slug, title_field_value: title };
}
