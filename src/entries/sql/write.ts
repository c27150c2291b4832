// The calls that write entries: methods of the Prisma model `entry` (model.ts). Each takes effect only if the channel
// and the entry still have the versions that the write was decided on. One function of the database (prisma/functions/)
// locks the channel's row against changes of its settings, writes the entry, records the change and writes the side
// table's rows. Parameters are passed by name; test/pure/unit/entryFunctions.test.ts compares them with the functions
// and the table of members.
import { isDeepStrictEqual } from 'node:util';
import { isUniqueViolation } from '../../database/databaseErrors.ts';
import type { EntryStatements } from '../../database/statements.ts';
import { originalValues } from '../../fields/stored.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { lockNumber } from './channelLock.ts';
import type { AuditActor, Authorship, StoredActor } from '../../rules/author.ts';
import type { AuthoredDraft, EntryDraft, EntryValues, Written } from '../draft.ts';
import { indexedRows, takenValues, type EntryIndexedValue } from './indexSql.ts';
import { settableMembers } from '../members.ts';
import type { ModelContext } from '../modelContext.ts';
import { EntryRow } from '../row.ts';

/** Whether a write would leave an entry's members and values unchanged. */
export function isUnchanged(before: EntryRow, after: EntryValues): boolean {
  const membersAlike = settableMembers.every((name) => isDeepStrictEqual(before[name], after[name]));
  return membersAlike && isDeepStrictEqual(originalValues(before), originalValues(after));
}

/**
 * Stores new entries of one channel by one call. Each has an id of its own.
 * @returns the outcome for each draft, in their order
 */
export async function insertDrafts(
  this: ModelContext,
  channel: Channel,
  drafts: readonly EntryDraft[],
  { actor, now }: Authorship,
): Promise<Written[]> {
  const [single] = drafts;
  if (single === undefined) return [];
  if (drafts.length === 1) return [await storeDraft(this.statements, channel, { draft: single, actor, now })];
  const documents = drafts.map((draft) => draftJson({ draft, actor, now }));
  return storeDrafts(this.statements, channel, { drafts, documents, create: Prisma.sql`entryway_create_entries` });
}

/** Entries that one call stores. */
interface DraftsTogether {
  readonly drafts: readonly EntryDraft[];
  /** The rows of the function's `p_drafts`, as `draftJson` makes them. */
  readonly documents: readonly string[];
  /** The name of the function. */
  readonly create: Prisma.Sql;
}

/** Stores several new entries. @returns the outcome for each draft, in their order */
export async function storeDrafts(
  statements: Pick<EntryStatements, 'write'>,
  channel: Channel,
  { drafts, documents, create }: DraftsTogether,
): Promise<Written[]> {
  const indexed = drafts.flatMap(indexedWithId);
  const rows = await uniqueViolationAsDuplicate(() =>
    statements.write<{ id: string; outcome: string }>(Prisma.sql`
      SELECT entry_id AS id, outcome FROM ${create}(${channelParameters(channel)},
        p_drafts => ${`[${documents.join(',')}]`}::jsonb, p_indexed => ${JSON.stringify(indexed)}::jsonb)`),
  );
  if (rows === 'duplicate') return drafts.map(() => rows);
  const outcomes = new Map(rows.map(({ id, outcome }) => [id, outcome]));
  return drafts.map(({ id, values }) => readOutcome(outcomes.get(id) ?? 'stale', values, channel));
}

/** Passes the values of a single entry as parameters, which PostgreSQL reads faster than a document. */
export function storeDraft(
  statements: EntryStatements,
  channel: Channel,
  { draft, actor, now }: AuthoredDraft,
): Promise<Written> {
  const { id, shortId, times, version, values } = draft;
  const at = now.toISOString();
  return writeOne(
    statements,
    channel,
    values,
    Prisma.sql`
    SELECT entryway_create_entry(${channelParameters(channel)}, p_at => ${at}::timestamptz, p_id => ${id}::uuid,
      p_short_id => ${shortId}::text, p_version => ${version ?? 1}::integer,
      p_created_at => ${times?.createdAt.toISOString() ?? at}::timestamptz,
      p_updated_at => ${times?.updatedAt.toISOString() ?? at}::timestamptz, ${valueParameters(values)}, p_actor => ${JSON.stringify(storedActor(actor))}::jsonb) AS outcome`,
  );
}

/** A row of the function's `p_drafts`. */
export function draftJson({ draft, actor, now }: AuthoredDraft): string {
  const { id, shortId, times, values, version = 1 } = draft;
  const { searched, indexed: _, ...members } = values;
  const created = { createdAt: times?.createdAt ?? now, updatedAt: times?.updatedAt ?? now };
  const by = { at: now, actor: storedActor(actor) };
  return JSON.stringify({ id, shortId, version, ...by, ...created, ...members, ...searched });
}

/** Stores an entry's new values, if the entry and its channel still have the versions that the write was decided on. */
export function updateIf(
  this: ModelContext,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  values: EntryValues,
  { actor, now }: Authorship,
): Promise<Written> {
  return writeOne(
    this.statements,
    channel,
    values,
    Prisma.sql`
    SELECT entryway_update_entry(${channelParameters(channel)}, p_at => ${now.toISOString()}::timestamptz, p_id => ${id}::uuid,
      p_version => ${version}::integer, ${valueParameters(values)}, p_actor => ${JSON.stringify(storedActor(actor))}::jsonb) AS outcome`,
  );
}

/** Finds, by the id of each new entry, its unique fields whose values other entries of the channel have already. */
export async function findTakenValues(
  this: ModelContext,
  channel: Channel,
  entries: readonly IndexedEntry[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const unique = entries.flatMap(indexedWithId).filter((value) => value.unique);
  if (unique.length === 0) return new Map();
  const rows = await this.statements.readPrepared<{ id: string; fields: string[] }>(Prisma.sql`
    WITH wanted AS (${indexedRows(unique)}), taken AS (${takenValues(channel)})
    SELECT taken.id, array_agg(taken.field) AS fields FROM taken GROUP BY taken.id`);
  const takenById = new Map(rows.map(({ id, fields }) => [id, fields]));
  return new Map(entries.map(({ id, values }) => [id, sortAsDeclared(takenById.get(id) ?? [], values)]));
}

/** Finds the ids, of some, that entries of the site have already, in any channel. */
export async function findTakenIds(
  this: ModelContext,
  { siteId }: Pick<Channel, 'siteId'>,
  ids: readonly string[],
): Promise<Set<string>> {
  if (ids.length === 0) return new Set();
  const rows = await this.statements.readPrepared<{ id: string }>(Prisma.sql`
    SELECT e.id FROM entries e WHERE e.site_id = ${siteId} AND e.id = ANY(${[...ids]}::uuid[]) LIMIT ${ids.length}`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Deletes an entry, if it and its channel still have the versions that the delete was decided on.
 * @returns false, and deletes nothing, if one of them has another version
 */
export async function deleteIf(
  this: ModelContext,
  channel: Channel,
  { id, version }: Pick<EntryRow, 'id' | 'version'>,
  { actor, now }: Authorship,
): Promise<boolean> {
  const [row] = await this.statements.write<{ deleted: boolean }>(Prisma.sql`
    SELECT entryway_delete_entry(${decidedChannel(channel)}, p_at => ${now.toISOString()}::timestamptz, p_id => ${id}::uuid,
      p_version => ${version}::integer, p_actor => ${JSON.stringify(storedActor(actor))}::jsonb) AS deleted`);
  return row?.deleted ?? false;
}

/** An entry's rows of the side table. */
function indexedWithId({ id, values }: IndexedEntry): EntryIndexedValue[] {
  return values.indexed.map((value) => ({ id, ...value }));
}

interface IndexedEntry {
  readonly id: string;
  readonly values: Pick<EntryValues, 'indexed'>;
}

/** The parameters of each function: the channel, with its lock and the version that the write was decided on. */
function decidedChannel(channel: Channel): Prisma.Sql {
  return Prisma.sql`p_site_id => ${channel.siteId}::text, p_lock => ${lockNumber(channel)}::bigint,
    p_channel_uid => ${channel.uid}::uuid, p_channel_version => ${channel.version}::integer`;
}

/** The parameters that follow from the channel. */
function channelParameters(channel: Channel): Prisma.Sql {
  return Prisma.sql`${decidedChannel(channel)}, p_fields_version => ${channel.fieldsVersion}::integer,
    p_language => ${channel.language}::regconfig`;
}

/** The parameters that follow from the new values of an entry. */
function valueParameters({ searched, indexed, ...values }: EntryValues): Prisma.Sql {
  const { slug, status, publishAt, acl, owner, data, kept, title } = values;
  return Prisma.sql`p_slug => ${slug}::text, p_status => ${status}::entry_status,
    p_publish_at => ${publishAt?.toISOString() ?? null}::timestamptz, p_acl => ${JSON.stringify(acl)}::jsonb,
    p_owner => ${owner}::text, p_data => ${JSON.stringify(data)}::jsonb, p_kept => ${JSON.stringify(kept)}::jsonb,
    p_title => ${title}::text, p_a => ${searched.a}::text, p_b => ${searched.b}::text, p_c => ${searched.c}::text,
    p_fields => ${indexed.map(({ field }) => field)}::text[],
    p_values => ${indexed.map(({ value }) => JSON.stringify(value))}::jsonb[],
    p_keys => ${indexed.map(({ key }) => key)}::text[], p_uniques => ${indexed.map(({ unique }) => unique)}::boolean[]`;
}

/** The form of an author in which the feed stores it. */
export function storedActor({ kind, tokenId, userId, customerId, name }: AuditActor): StoredActor {
  return {
    kind,
    token: tokenId ?? undefined,
    user: userId ?? undefined,
    customer: customerId ?? undefined,
    name: name ?? undefined,
  };
}

/** Calls a function that writes one entry. */
async function writeOne(
  statements: EntryStatements,
  channel: Channel,
  values: EntryValues,
  call: Prisma.Sql,
): Promise<Written> {
  const rows = await uniqueViolationAsDuplicate(() => statements.write<{ outcome: string }>(call));
  return rows === 'duplicate' ? rows : readOutcome(rows[0]?.outcome ?? 'stale', values, channel);
}

/** Parses an outcome of the functions (prisma/functions/entryway_stored.sql). */
function readOutcome(outcome: string, values: Pick<EntryValues, 'owner' | 'indexed'>, channel: Channel): Written {
  if (outcome === 'stale' || outcome === 'duplicate') return outcome;
  const [kind, ...lines] = outcome.split('\n');
  if (kind === 'taken') return { taken: sortAsDeclared(lines, values) };
  const { owner } = values;
  const [short = '', acl = '', data = '', kept = '', ...title] = lines;
  return new EntryRow({ short, owner, acl, data, kept, title: title.length === 0 ? null : title.join('\n') }, channel);
}

/** Sorts the names of indexed fields as declared: a statement with a join returns them in the order of its plan. */
function sortAsDeclared(names: readonly string[], { indexed }: Pick<EntryValues, 'indexed'>): string[] {
  return indexed.map(({ field }) => field).filter((field) => names.includes(field));
}

/** Runs a write. @returns its result; `duplicate` if it violated a unique constraint */
async function uniqueViolationAsDuplicate<Result>(write: () => Promise<Result>): Promise<Result | 'duplicate'> {
  try {
    return await write();
  } catch (error) {
    if (isUniqueViolation(error)) return 'duplicate';
    throw error;
  }
}
