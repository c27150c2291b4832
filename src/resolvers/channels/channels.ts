// Channels: reading them, for every token, and managing them, for master tokens (docs/contract.md §3, §4, §6, §7).
import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { Context } from '../../context.ts';
import { isDivisionByZero, isUniqueViolation } from '../../database/databaseErrors.ts';
import { longestChange, withoutLimit } from '../../database/longStatements.ts';
import { failOnStrays, type ReferringField } from '../../entries/referenceSql.ts';
import { claimValues, duplicatesOf } from '../../entries/uniqueSql.ts';
import { fail } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import type { MutationResolvers, QueryResolvers } from '../../generated/graphql/types.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import { checkChannelPatch, checkNewChannel, type ChannelSettings } from '../../inputs/channel.ts';
import { presentChannel } from '../../serializers/channel.ts';
import { newReferences, refuseStrays } from './referenceFields.ts';
import { channelNamed, noSuchChannel, requireMaster, untilWritten } from '../shared.ts';
import { countedAtMost, numberOf, refuseFields } from './fieldConflicts.ts';

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
  const { site: siteId, now } = context;
  const { id, ...settings } = checkNewChannel(input);
  await newReferences(settings.fields, { id, fields: [] }, context);
  const values = { ...columnsOf(settings), id, siteId, uid: uuidv7(), createdAt: now, updatedAt: now };
  const [row] = await context.db.channel.createManyAndReturn({ data: [values], skipDuplicates: true });
  return presentChannel(row ?? idTaken(), context.caller);
}) satisfies MutationResolvers['createChannel'];

/** Updates a channel: settings present are set, absent ones stay. One that changes nothing stores nothing. */
export const updateChannel = (async (_parent, { id, input, confirm }, context) => {
  requireMaster(context);
  const row = await untilWritten(context, id, async () => {
    // Never the cached row: that nothing changes is decided without a write, which would tell that the row is old.
    const before = (await context.directory.channelNow(context.site, id)) ?? noSuchChannel();
    const changes = changesTo(before, checkChannelPatch(input));
    if (Object.keys(changes).length === 0) return before;
    const referring = await newReferences(changes.fields ?? [], before, context);
    const mayExpose = !(before.publishable && changes.publishable === false) || confirm === before.id;
    if (!mayExpose) await refuseToExpose(before, context);
    return (await storeChanges(before, changes, { mayExpose, referring }, context)) ?? 'overtaken';
  });
  await context.directory.settle();
  if (row.derivedVersion < row.fieldsVersion) await context.rebuild(row);
  await context.directory.settle();
  return presentChannel(row, context.caller);
}) satisfies MutationResolvers['updateChannel'];

/** Deletes a channel and, by the foreign key's cascade, its entries. @returns its id */
export const deleteChannel = (async (_parent, { id, confirm }, context) => {
  requireMaster(context);
  if (confirm !== id) fail('bad_request', 'confirm must be the id of the channel that is to be deleted.');
  const { db } = context;
  const unlimited = db.$executeRaw(withoutLimit);
  const deletion = db.channel.deleteMany({ where: { siteId: context.site, id } });
  const [, { count }] = await db.$transaction([unlimited, deletion], { timeout: longestChange });
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
 * Refuses to make a channel not publishable while that would show hidden entries to the public (docs/contract.md §4).
 * @throws conflict where it would
 */
async function refuseToExpose(before: Channel, context: Context): Promise<void> {
  const count = await context.db.entry.count({ where: hiddenEntries(before, context), take: countedAtMost + 1 });
  if (count === 0) return;
  const message = `would show entries to the public that are hidden now: ${numberOf(count)}`;
  fail('conflict', {
    detail: `publishable: ${message}. Send the channel's id as confirm if they may be seen.`,
    errors: [{ field: 'publishable', code: 'hidden_entries', message }],
  });
}

/** What a channel's changes were found to come to. */
interface Decided {
  /** Whether entries may be hidden now that the changes show. */
  readonly mayExpose: boolean;
  /** The fields that are to refer to entries. */
  readonly referring: readonly ReferringField[];
}

/**
 * Stores a channel's changes, if it still has the version that they were decided on.
 *
 * Writes of entries hold the channel's row FOR SHARE and are decided on its version. Locked here first, it has none
 * under way; each later statement of the transaction sees what those before the lock committed (READ COMMITTED), and
 * those behind it find their version gone.
 * @returns the row; undefined where the channel has another version by now, or holds hidden entries that it must not
 * @throws conflict where values of entries stand in the way of a field that is to be unique or a reference
 */
async function storeChanges(
  before: Channel,
  changes: Partial<ChannelSettings>,
  { mayExpose, referring }: Decided,
  context: Context,
): Promise<Channel | undefined> {
  const { db, now } = context;
  const { siteId, uid, version } = before;
  const lock = db.$queryRaw`SELECT 1 AS held FROM channels c WHERE ${theChannel(before)} FOR UPDATE`;
  const derives = (['fields', 'titleField', 'language'] as const).some((name) => changes[name] !== undefined);
  const update = db.channel.updateManyAndReturn({
    where: { siteId, uid, version, ...(!mayExpose && { entries: { none: hiddenEntries(before, context) } }) },
    data: {
      ...columnsOf(changes),
      ...(derives && { fieldsVersion: before.fieldsVersion + 1 }),
      version: version + 1,
      updatedAt: now,
    },
  });
  const checks = referring.map((field) => db.$queryRaw(failOnStrays(before, field)));
  const unique = newlyUnique(before, changes.fields ?? []);
  const declared = { version: version + 1, fields: changes.fields ?? [] };
  const claims = unique.map((field) => db.$executeRaw(claimValues(before, declared, field)));
  const unlimited = db.$executeRaw(withoutLimit);
  try {
    const [, , rows] = await db.$transaction([unlimited, lock, update, ...checks, ...claims], {
      isolationLevel: Prisma.TransactionIsolationLevel.ReadCommitted,
      timeout: longestChange,
    });
    return rows[0];
  } catch (error) {
    if (isDivisionByZero(error)) await refuseStrays(before, referring, context);
    else if (isUniqueViolation(error)) await refuseDuplicates(before, unique, context);
    else throw error;
    // They are gone by now.
    return undefined;
  }
}

/** The fields that are to be unique and were not, or took other values: what did not fit may come back. */
function newlyUnique(before: Channel, fields: readonly FieldDefinition[]): FieldDefinition[] {
  const standing = new Map(compiledFields(before).definitions.map((field) => [field.name, field]));
  return fields.filter((field) => field.unique && !isDeepStrictEqual(standing.get(field.name), field));
}

/** @throws conflict naming the fields of which entries share values */
async function refuseDuplicates(before: Channel, unique: readonly FieldDefinition[], context: Context): Promise<void> {
  const message = "entries share values, so that the field can't be unique";
  const countOf = (field: FieldDefinition, limit: number): Prisma.Sql => duplicatesOf(before, field, limit);
  await refuseFields(unique, countOf, { code: 'taken', message }, context);
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
