// Channels: reading them, for every token, and managing them, for master tokens (contract §3, §4, §6, §7).
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../context.ts';
import { fail } from '../errors.ts';
import { definitionsOf, scalarTypesOf, type FieldDefinition } from '../fields/definition.ts';
import type { MutationResolvers, QueryResolvers } from '../generated/graphql/types.ts';
import { Prisma, type Channel } from '../generated/prisma/client.ts';
import { checkChannelPatch, checkNewChannel, refuseUnsupported, type ChannelSettings } from '../inputs/channel.ts';
import { presentChannel } from '../serializers/channel.ts';
import { channelNamed, noSuchChannel, requireMaster, untilWritten } from './shared.ts';

/** Hidden entries are counted no further than this: whoever is to confirm needs no more. */
const countedAtMost = 10_000;
/** How long a change may take, in milliseconds: a title field's derives the titles of all entries anew. */
const changeLimit = 15 * 60_000;

/** Fetches a channel. */
export const channel = (async (_parent, args, context) =>
  presentChannel(await channelNamed(context, args.id), context.caller)) satisfies QueryResolvers['channel'];

/** Lists the site's channels in the order of their creation, which is that of their uids. */
export const channels = (async (_parent, _args, context) => {
  const rows = await context.db.channel.findMany({ where: { siteId: context.site }, orderBy: { uid: 'asc' } });
  return rows.map((row) => presentChannel(row, context.caller));
}) satisfies QueryResolvers['channels'];

/** Creates a channel. */
export const createChannel = (async (_parent, { input }, context) => {
  requireMaster(context);
  refuseUnsupported(input);
  const { site: siteId, now } = context;
  const { id, ...settings } = checkNewChannel(input);
  const values = { ...columnsOf(settings), id, siteId, uid: uuidv7(), createdAt: now, updatedAt: now };
  const [row] = await context.db.channel.createManyAndReturn({ data: [values], skipDuplicates: true });
  return presentChannel(row ?? idTaken(), context.caller);
}) satisfies MutationResolvers['createChannel'];

/** Updates a channel: settings present are set, absent ones stay. One that changes nothing stores nothing. */
export const updateChannel = (async (_parent, { id, input, confirm }, context) => {
  requireMaster(context);
  refuseUnsupported(input);
  const row = await untilWritten(context, id, async () => {
    // Never the cached row: that nothing changes is decided without a write, which would tell that the row is old.
    const before = (await context.directory.channelNow(context.site, id)) ?? noSuchChannel();
    const changes = changesTo(before, checkChannelPatch(input));
    if (Object.keys(changes).length === 0) return before;
    const mayExpose = !(before.publishable && changes.publishable === false) || confirm === before.id;
    if (!mayExpose) await refuseToExpose(before, context);
    return (await storeChanges(before, changes, mayExpose, context)) ?? 'overtaken';
  });
  await context.directory.settle();
  return presentChannel(row, context.caller);
}) satisfies MutationResolvers['updateChannel'];

/** Deletes a channel and, by the foreign key's cascade, its entries. @returns its id */
export const deleteChannel = (async (_parent, { id, confirm }, context) => {
  requireMaster(context);
  if (confirm !== id) fail('bad_request', 'confirm must be the id of the channel that is to be deleted.');
  const { count } = await context.db.channel.deleteMany({ where: { siteId: context.site, id } });
  if (count === 0) noSuchChannel();
  await context.directory.settle();
  return id;
}) satisfies MutationResolvers['deleteChannel'];

/** Settings as Prisma takes them: it knows JSON by a type of its own. */
function columnsOf<Settings extends Partial<ChannelSettings>>({
  fields,
  ...others
}: Settings): Omit<Settings, 'fields'> & { fields?: Prisma.InputJsonArray } {
  return { ...others, ...(fields !== undefined && { fields: fields as unknown as Prisma.InputJsonArray }) };
}

/** Those of some settings that differ from a channel's own. */
function changesTo(before: Channel, settings: Partial<ChannelSettings>): Partial<ChannelSettings> {
  const changed = Object.entries(settings).filter(
    ([name, value]) => !isDeepStrictEqual(before[name as keyof ChannelSettings], value),
  );
  return Object.fromEntries(changed);
}

/** The entries of a channel that the public does not see while the channel is publishable (rules/publication.ts). */
function hiddenEntries({ siteId, uid }: Channel, { now }: Context): Prisma.EntryWhereInput {
  return { siteId, channelUid: uid, OR: [{ status: 'draft' }, { publishAt: { gt: now } }] };
}

/**
 * Refuses to make a channel not publishable while that would show hidden entries to the public (contract §4).
 * @throws conflict where it would
 */
async function refuseToExpose(before: Channel, context: Context): Promise<void> {
  const count = await context.db.entry.count({ where: hiddenEntries(before, context), take: countedAtMost + 1 });
  if (count === 0) return;
  const number = count > countedAtMost ? `${countedAtMost}+` : String(count);
  const message = `would show entries to the public that are hidden now: ${number}`;
  fail('conflict', {
    detail: `publishable: ${message}. Send the channel's id as confirm if they may be seen.`,
    errors: [{ field: 'publishable', code: 'hidden_entries', message }],
  });
}

/**
 * Stores a channel's changes, if it still has the version that they were decided on.
 *
 * Writes of entries hold the channel's row FOR SHARE and are decided on its version. Locked here first, it has none
 * under way; each later statement of the transaction sees what those before the lock committed (READ COMMITTED), and
 * those behind it find their version gone.
 * @param mayExpose whether entries may be hidden now that the changes show
 * @returns the row; undefined where the channel has another version by now, or holds hidden entries that it must not
 */
async function storeChanges(
  before: Channel,
  changes: Partial<ChannelSettings>,
  mayExpose: boolean,
  context: Context,
): Promise<Channel | undefined> {
  const { db, now } = context;
  const { siteId, uid, version } = before;
  const lock = db.$queryRaw`SELECT 1 AS held FROM channels c WHERE ${theChannel(before)} FOR UPDATE`;
  const update = db.channel.updateManyAndReturn({
    where: { siteId, uid, version, ...(!mayExpose && { entries: { none: hiddenEntries(before, context) } }) },
    data: { ...columnsOf(changes), version: version + 1, updatedAt: now },
  });
  const { titleField, fields } = changes;
  const after = { titleField: titleField ?? before.titleField, fields: fields ?? definitionsOf(before) };
  const isRetitled = titleField !== undefined || fields !== undefined;
  const retitle = isRetitled ? [db.$executeRaw(retitling(before, after))] : [];
  // The statement limit of requests is too short for these.
  const unlimited = db.$executeRaw`SET LOCAL statement_timeout = 0`;
  const [, , rows] = await db.$transaction([unlimited, lock, update, ...retitle], {
    isolationLevel: Prisma.TransactionIsolationLevel.ReadCommitted,
    timeout: changeLimit,
  });
  return rows[0];
}

/**
 * Derives the titles of a channel's entries anew, as titleOf in serializers/entry.ts does (but for numbers
 * that JavaScript writes with an exponent: digits here; and of what no longer fits, what has another JSON type); nothing
 * where the channel did not get the settings. An entry's version and time stay: what is kept for sorting is no change of it.
 */
function retitling(
  channel: Channel,
  { titleField, fields }: Pick<ChannelSettings, 'titleField' | 'fields'>,
): Prisma.Sql {
  const value = Prisma.sql`(e.data -> ${titleField}::text)`;
  const types = titleTypes(fields, titleField);
  const title = Prisma.sql`CASE WHEN jsonb_typeof(${value}) = ANY(${types}::text[]) THEN left(${value} #>> '{}', 1000) END`;
  return Prisma.sql`UPDATE entries e SET title = ${title} FROM channels c
    WHERE ${theChannel(channel)} AND c.title_field = ${titleField} AND c.fields = ${JSON.stringify(fields)}::jsonb
      AND e.site_id = c.site_id AND e.channel_uid = c.uid AND e.title IS DISTINCT FROM ${title}`;
}

/** The JSON types that the values of a title field have; none where it is not declared among others. */
function titleTypes(fields: readonly FieldDefinition[], titleField: string): string[] {
  if (fields.length === 0) return ['string', 'number', 'boolean'];
  const field = fields.find(({ name }) => name === titleField);
  return field ? [...scalarTypesOf(field.type)] : [];
}

function theChannel({ siteId, uid }: Channel): Prisma.Sql {
  return Prisma.sql`c.site_id = ${siteId} AND c.uid = ${uid}::uuid`;
}

function idTaken(): never {
  fail('conflict', {
    detail: 'The id is taken.',
    errors: [{ field: 'id', code: 'taken', message: 'is another channel’s' }],
  });
}
