// Presents an entry's row to a caller (docs/contract.md §3): one object for REST and GraphQL, built member by member,
// so that a new column stays private until it is listed here; and writes that object in REST's JSON. No I/O. Values are
// parsed only where they are used: usually they go from the database to the response as JSON text.
import type { PromiseOrValue } from '../base/promiseOrValue.ts';
import type { Budget } from '../admission/budget.ts';
import { memberNames, members, type MemberName, type PrivateMember } from '../entries/members.ts';
import type { EntryRow } from '../entries/row.ts';
import { compiledFields } from '../fields/compiled.ts';
import type { FieldDefinition } from '../fields/definition.ts';
import { entryTitle, currentForm, presentedValues, type Values } from '../fields/stored.ts';
import { emptyValue } from '../fields/types.ts';
import type { Channel } from '../generated/prisma/client.ts';
import { isOwner } from '../rules/access.ts';
import type { Preview, Viewer } from '../rules/callers.ts';
import { versionName } from '../rules/names.ts';
import type { Status } from '../rules/publication.ts';
import type { ChannelReader } from './channel.ts';
import { ParsedFields, StoredFields, type ShownFields } from './shownFields.ts';

/** The members that only some readers of an entry may read; undefined for the others. */
type PrivateMembers = { readonly [Name in PrivateMember]: EntryRow[Name] | undefined };

/** An entry as callers see it. */
export interface PublicEntry extends PrivateMembers {
  readonly id: string;
  readonly shortId: string;
  readonly slug: string;
  readonly url: string;
  /**
   * The channel's row: GraphQL presents it if it is selected, REST writes its id. Null if it does not exist to the
   * caller, who updated the entry without seeing it.
   */
  readonly channel: Channel | null;
  readonly version: number;
  /** Times are in ISO 8601. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: Status;
  readonly publishAt: string | null;
  /** Custom fields. Reference fields are empty until src/resolvers/references/embed.ts has followed them. */
  readonly fields: ShownFields;
  readonly origin: ReferenceTargets;
  /** Absent for a writer who may see only the members that they wrote. */
  readonly titleFieldValue?: string | null;
}

/** The data for following an entry's references on behalf of the same reader. It never appears in a response. */
export interface ReferenceTargets {
  readonly channel: Channel;
  readonly reader: Reader;
  /** The ids in each reference field that has a value. */
  readonly targets: ReadonlyMap<string, readonly string[]>;
  /** Total number of these ids. */
  readonly count: number;
  /** Size of the entry's values, in bytes of JSON. */
  readonly size: number;
  /** Whether all of its fields are in the answer already: each repetition counts against the answer's size. */
  isShown: boolean;
  /** Present if the entry was just written: the reader of its own fields, whose budget refuses nothing. */
  readonly written?: Reader;
}

/** Referenced entries to load. */
export interface WantedEntries {
  readonly ids: readonly string[];
  /** False if only their names and titles are needed. */
  readonly whole: boolean;
}

/** Loads referenced entries that one reader may see. */
export interface ReferenceSource {
  /** The channel of the reader's site that a field refers to; null if it was deleted. */
  findTarget(field: Pick<FieldDefinition, 'channel'>): PromiseOrValue<Channel | null>;
  /** The same channel, read past the caches. */
  findTargetNow(field: Pick<FieldDefinition, 'channel'>): PromiseOrValue<Channel | null>;
  /**
   * Loads entries of a channel, in the order of the ids, without those that do not exist or are hidden from the reader.
   */
  load(channel: Channel, wanted: WantedEntries): Promise<readonly EntryRow[]>;
}

/** The reader of an entry and its channel (the actor in a preview), and the address of the service. */
export interface Reader extends ChannelReader {
  readonly viewer: Viewer;
  /** Null outside of previews. */
  readonly preview: Preview | null;
  readonly baseUrl: string;
  readonly references: ReferenceSource;
  readonly admission: { readonly budget: Pick<Budget, 'takePatternWork'> };
}

/** Presents an entry to a caller who may see it; `_acl` and `_owner` only to master tokens, user tokens and the owner. */
export function presentEntry(row: EntryRow, channel: Channel, reader: Reader): PublicEntry {
  const { fields, origin } = presentEntryFields(row, channel, reader);
  const isPrivileged = reader.viewer.mayReadPrivateMembers || isOwner(reader.caller.customer, row);
  const { createdAt, updatedAt, publishAt } = row.text;
  return {
    id: row.id,
    shortId: row.shortId,
    slug: row.slug,
    url: `${reader.baseUrl}/channels/${channel.id}/entries/${row.id}`,
    channel,
    version: row.version,
    createdAt,
    updatedAt,
    status: row.status,
    publishAt,
    fields,
    origin,
    titleFieldValue: isTitleWhole(row, channel) ? row.title : entryTitle(fields.values, channel),
    acl: isPrivileged ? row.acl : undefined,
    owner: isPrivileged ? row.owner : undefined,
  };
}

/** Whether a row's title is the whole one, as the channel's fields define it now. */
function isTitleWhole({ title, fieldsVersion }: EntryRow, channel: Channel): boolean {
  return fieldsVersion === channel.fieldsVersion && (title === null || title.length < 1_000);
}

const noTargets: ReadonlyMap<string, never> = new Map<string, never>();

/** Makes the fields that an entry shows, without the referenced entries, and the references to follow. */
function presentEntryFields(row: EntryRow, channel: Channel, reader: Reader): Pick<PublicEntry, 'fields' | 'origin'> {
  const compiled = compiledFields(channel);
  const { references, unreadable } = compiled;
  const isCurrent = row.fieldsVersion === channel.fieldsVersion && row.text.kept === '{}';
  // Values that the caller may not read decide nothing: neither the members of the answer nor their order.
  if (isCurrent && references.size === 0 && unreadable.length === 0) {
    return {
      fields: new StoredFields(row, compiled),
      origin: { channel, reader, targets: noTargets, count: 0, size: row.size, isShown: false },
    };
  }
  const targets = new Map<string, readonly string[]>();
  const origin = { channel, reader, targets, count: 0, size: row.size, isShown: false };
  const values = { ...presentedValues(row, channel, reader.admission.budget.takePatternWork) };
  for (const { name, type } of references.values()) {
    const ids = [(Object.hasOwn(values, name) ? values[name] : null) ?? []].flat() as string[];
    if (ids.length > 0) targets.set(name, ids);
    origin.count += ids.length;
    // A reference looks the same whether it is empty, invalid or leads to hidden entries.
    values[name] = emptyValue(type);
  }
  return { fields: new ParsedFields(values), origin };
}

/** The members that a writer set. The access list and the owner are present only if a master token set them. */
export interface SentMembers {
  readonly fields: Values;
  readonly acl?: unknown;
  readonly owner?: unknown;
}

/**
 * Presents an entry to a caller who updated it and may not read it: only its names and state, and the members that the
 * caller set, because an update must not become a way to read.
 */
export function presentToWriter(row: EntryRow, channel: Channel, reader: Reader, sent: SentMembers): PublicEntry {
  const { titleFieldValue: _title, fields, origin, ...names } = presentEntry(row, channel, reader);
  const isSent = ([name]: readonly [string, unknown]): boolean => Object.hasOwn(sent.fields, name);
  return {
    ...names,
    fields: new ParsedFields(Object.fromEntries(Object.entries(fields.values).filter(isSent))),
    origin: { ...origin, targets: new Map([...origin.targets].filter(isSent)) },
    acl: sent.acl === undefined ? undefined : row.acl,
    owner: sent.owner === undefined ? undefined : row.owner,
  };
}

/**
 * Names, addresses and times: they contain no character that JSON escapes, and putting quotes around them takes a tenth
 * of the time of JSON.stringify.
 */
const plainTexts = new Set<MemberName>([
  'url',
  'shortId',
  'slug',
  'channel',
  'createdAt',
  'updatedAt',
  'status',
  'publishAt',
]);

/**
 * REST's fixed members besides the id, and how each begins: its value a text or not, behind a text whose quote is still open or behind
 * another value.
 */
const writtenMembers = memberNames
  .filter((key) => key !== 'id')
  .map((key) => {
    const name = members[key].rest;
    const start = `,"${name}":`;
    const ofText = { behindText: `"${start}"`, behindOther: `${start}"` };
    const ofOther = { behindText: `"${start}`, behindOther: start };
    return { key, name, ofText, ofOther, isPlain: plainTexts.has(key) };
  });

/**
 * Writes an entry in REST's JSON: custom fields are beside the fixed members. Each piece that is put together costs 32 bytes, so that
 * the quote behind a text is written with the start of the next member.
 * @param only the members to write besides the id; null for all
 */
export function restEntry(entry: PublicEntry, only: readonly string[] | null = null): string {
  let json = `{"id":"${entry.id}`;
  let isOpen = true;
  for (const { key, name, ofText, ofOther, isPlain } of writtenMembers) {
    if (only !== null && !only.includes(name)) continue;
    const value = key === 'channel' ? (entry.channel?.id ?? null) : entry[key];
    // The caller may not read this member.
    if (value === undefined) continue;
    const isText = isPlain && typeof value === 'string';
    const start = isText ? ofText : ofOther;
    json = json + (isOpen ? start.behindText : start.behindOther) + (isText ? value : JSON.stringify(value));
    isOpen = isText;
  }
  if (isOpen) json += '"';
  if (only?.includes(versionName)) json += `,"${versionName}":${entry.version}`;
  const fields = only === null ? entry.fields.json : selectFields(entry.fields, only);
  return fields === '{}' ? `${json}}` : `${json},${fields.slice(1)}`;
}

function selectFields({ values }: ShownFields, only: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(values).filter(([name]) => only.includes(name))));
}

/** A short form of an entry, which appears in the reference fields of other entries (docs/contract.md §6). */
export interface Stub {
  readonly id: string;
  readonly channel: string;
  readonly slug: string;
  /** Its first 1,000 characters. */
  readonly title_field_value: string | null;
}

/** Presents the stub of an entry that the reader may see. */
export function presentStub(
  row: EntryRow,
  channel: Channel,
  { admission: { budget } }: Pick<Reader, 'admission'>,
): Stub {
  const title = entryTitle(currentForm(row, channel, budget.takePatternWork).data, channel);
  return { id: row.id, channel: channel.id, slug: row.slug, title_field_value: title };
}
