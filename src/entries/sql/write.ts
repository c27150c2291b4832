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
import { Shape, Slot } from '../statementShape.ts';

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
  const rows = await statements
    .write<{ id: string; outcome: string }>(
      Prisma.sql`
      SELECT entry_id AS id, outcome FROM ${create}(${channelParameters(valuesOf(channel))},
        p_drafts => ${`[${documents.join(',')}]`}::jsonb, p_indexed => ${JSON.stringify(indexed)}::jsonb)`,
    )
    .catch(duplicateIfViolated);
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
  const { id, version = 1, values } = draft;
  const call = creation.fill({ channel, draft, values, actor, at: now.toISOString(), id, version });
  return writeOne(statements, channel, values, call);
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
  const call = change.fill({ channel, values, actor, at: now.toISOString(), id, version });
  return writeOne(this.statements, channel, values, call);
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
    SELECT entryway_delete_entry(${decidedChannel(valuesOf(channel))}, p_at => ${now.toISOString()}::timestamptz, p_id => ${id}::uuid,
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

/** Puts a value of an object into a statement: the value, or a slot for it. */
type Put<From> = (read: (from: From) => unknown) => unknown;

function valuesOf<From>(from: From): Put<From> {
  return (read) => read(from);
}

/** The parameters of each function: the channel, with its lock and the version that the write was decided on. */
function decidedChannel(put: Put<Channel>): Prisma.Sql {
  return Prisma.sql`p_site_id => ${put(({ siteId }) => siteId)}::text, p_lock => ${put(lockNumber)}::bigint,
    p_channel_uid => ${put(({ uid }) => uid)}::uuid, p_channel_version => ${put(({ version }) => version)}::integer`;
}

/** The parameters that follow from the channel. */
function channelParameters(put: Put<Channel>): Prisma.Sql {
  return Prisma.sql`${decidedChannel(put)}, p_fields_version => ${put(({ fieldsVersion }) => fieldsVersion)}::integer,
    p_language => ${put(({ language }) => language)}::regconfig`;
}

/** The values by which the calls that write one entry differ. */
interface GivenWrite {
  readonly channel: Channel;
  readonly values: EntryValues;
  readonly actor: AuditActor;
  readonly at: string;
  readonly id: string;
  readonly version: number;
}

const slot = <Given = GivenWrite>(read: (given: Given) => unknown): Slot<Given> => new Slot(read);
const ofChannel: Put<Channel> = (read) => slot(({ channel }) => read(channel));
const ofValues: Put<EntryValues> = (read) => slot(({ values }) => read(values));
const ofIndexed: Put<EntryValues['indexed'][number]> = (read) => slot(({ values }) => values.indexed.map(read));

/** The parameters that follow from the new values of an entry. */
const valueParameters = Prisma.sql`p_slug => ${ofValues(({ slug }) => slug)}::text,
    p_status => ${ofValues(({ status }) => status)}::entry_status,
    p_publish_at => ${ofValues(({ publishAt }) => publishAt?.toISOString() ?? null)}::timestamptz,
    p_acl => ${ofValues(({ acl }) => JSON.stringify(acl))}::jsonb, p_owner => ${ofValues(({ owner }) => owner)}::text,
    p_data => ${ofValues(({ data }) => JSON.stringify(data))}::jsonb,
    p_kept => ${ofValues(({ kept }) => JSON.stringify(kept))}::jsonb, p_title => ${ofValues(({ title }) => title)}::text,
    p_a => ${ofValues(({ searched }) => searched.a)}::text, p_b => ${ofValues(({ searched }) => searched.b)}::text,
    p_c => ${ofValues(({ searched }) => searched.c)}::text, p_fields => ${ofIndexed(({ field }) => field)}::text[],
    p_values => ${ofIndexed(({ value }) => JSON.stringify(value))}::jsonb[],
    p_keys => ${ofIndexed(({ key }) => key)}::text[], p_uniques => ${ofIndexed(({ unique }) => unique)}::boolean[]`;

/** The parameters of the calls that write one entry: the channel, the author, the time, the entry and its version. */
const entryParameters = Prisma.sql`${channelParameters(ofChannel)},
     p_actor => ${slot(({ actor }) => JSON.stringify(storedActor(actor)))}::jsonb, p_at => ${slot(({ at }) => at)}::timestamptz,
    p_id => ${slot(({ id }) => id)}::uuid, p_version => ${slot(({ version }) => version)}::integer`;

interface GivenDraft extends GivenWrite {
  readonly draft: EntryDraft;
}

const ofDraft = (read: (given: GivenDraft) => unknown): Slot<GivenDraft> => slot(read);

/** The calls, whose texts are put together once. */
const creation = new Shape<GivenDraft>(Prisma.sql`
    SELECT entryway_create_entry(${entryParameters}, p_short_id => ${ofDraft(({ draft }) => draft.shortId)}::text,
      p_created_at => ${ofDraft(({ draft: { times }, at }) => times?.createdAt.toISOString() ?? at)}::timestamptz,
      p_updated_at => ${ofDraft(({ draft: { times }, at }) => times?.updatedAt.toISOString() ?? at)}::timestamptz,
      ${valueParameters}) AS outcome`);
const change = new Shape<GivenWrite>(
  Prisma.sql`SELECT entryway_update_entry(${entryParameters}, ${valueParameters}) AS outcome`,
);

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
function writeOne(
  statements: EntryStatements,
  channel: Channel,
  values: EntryValues,
  call: Prisma.Sql,
): Promise<Written> {
  return statements
    .write<{ outcome: string }>(call)
    .then(([row]) => readOutcome(row?.outcome ?? 'stale', values, channel), duplicateIfViolated);
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

/** The outcome of a write that failed: `duplicate` if it violated a unique constraint. @throws any other error */
function duplicateIfViolated(error: unknown): 'duplicate' {
  if (isUniqueViolation(error)) return 'duplicate';
  throw error;
}
