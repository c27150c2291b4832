// Stores changes of a channel in one transaction, which checks that the entries stored so far satisfy the new fields.
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../resolvers/context.ts';
import { isDivisionByZero, isUniqueViolation } from '../../database/databaseErrors.ts';
import { maxLongTransactionMilliseconds, disableStatementTimeout } from '../../database/longStatements.ts';
import { exclusiveLock } from '../../entries/sql/channelLock.ts';
import { hiddenFromPublicWhere } from '../../entries/sql/predicate.ts';
import { failIfDangling, type ReferringField } from '../../entries/redefinition/referenceSql.ts';
import { recordSightChanges } from '../../entries/feed/sightChanges.ts';
import { claimValuesSql, countDuplicatesSql } from '../../entries/redefinition/uniqueSql.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { ChannelSettings } from './input.ts';
import { auditChannel } from '../auditedMembers.ts';
import { manage, type ManagedChange } from '../manage.ts';
import { changedBy, toColumns } from './columns.ts';
import { rejectFieldConflicts } from './fieldConflicts.ts';
import { requireNamedRoles } from './fieldRules.ts';
import { rejectDanglingReferences } from './referenceFields.ts';

/** The decisions on a channel's changes, made before they are stored. */
interface Decided {
  /** Whether the change may make entries visible to the public that are hidden now. */
  readonly mayExpose: boolean;
  /** The new reference fields, whose stored values must not dangle. */
  readonly referring: readonly ReferringField[];
}

/**
 * Stores a channel's changes, if it still has the version that they were decided on.
 *
 * Each write of an entry shares the channel's lock, locks its row FOR SHARE and checks its version. The exclusive lock
 * therefore waits until no such write is under way, and new ones wait behind it. Later statements of this transaction
 * see the data that those writes committed (READ COMMITTED); writes that wait for the lock find another version
 * afterwards, and start over.
 * @returns the new row. Undefined asks the caller to decide again: the channel has another version by now, the change
 *   would expose hidden entries without confirmation, or it failed by a conflict that no longer exists
 * @throws conflict if stored values violate a new unique or reference field
 */
export async function storeChanges(
  before: Channel,
  changes: Partial<ChannelSettings>,
  { mayExpose, referring }: Decided,
  context: Context,
): Promise<Channel | undefined> {
  const { now, actor } = context;
  const { siteId, uid, version } = before;
  const derives = (['fields', 'titleField', 'language'] as const).some((name) => changes[name] !== undefined);
  const update = {
    where: { siteId, uid, version, ...(!mayExpose && { entries: { none: hiddenFromPublicWhere(before, now) } }) },
    data: {
      ...toColumns(changes),
      ...(derives && { fieldsVersion: before.fieldsVersion + 1 }),
      version: version + 1,
      updatedAt: now,
      changedBy: changedBy(actor, version + 1),
    },
  };
  const unique = newlyUnique(before, changes.fields ?? []);
  const declared = { version: version + 1, fields: changes.fields ?? [] };
  try {
    const { row, progress } = await manage(
      context,
      async ({ db: transaction }) => {
        await transaction.$executeRaw(disableStatementTimeout);
        await requireNamedRoles(transaction, siteId, changes.fields ?? []);
        await transaction.$queryRaw(exclusiveLock(before));
        await transaction.$queryRaw`SELECT 1 AS held FROM channels c WHERE ${theChannel(before)} FOR UPDATE`;
        const [updated] = await transaction.channel.updateManyAndReturn(update);
        for (const field of referring) await transaction.$queryRaw(failIfDangling(before, field));
        for (const field of unique) await transaction.$queryRaw(claimValuesSql(before, declared, field));
        // One batch: the rest of a large channel is recorded in the background.
        const isSightChanged = updated !== undefined && updated.sightVersion > before.sightVersion;
        const progress = isSightChanged ? await recordSightChanges(transaction, before, now, null) : null;
        return { result: { row: updated, progress: progress }, changes: describeUpdate(before, updated) };
      },
      { timeout: maxLongTransactionMilliseconds },
    );
    if (progress !== null) context.services.recordSights(before, progress);
    return row;
  } catch (error) {
    if (isDivisionByZero(error)) await rejectDanglingReferences(before, referring, context);
    else if (isUniqueViolation(error)) await rejectDuplicates(before, unique, context);
    else throw error;
    // Another request has removed the conflict meanwhile.
    return undefined;
  }
}

/** The record of a channel's change. @param after its new row; undefined if it was not changed */
function describeUpdate(before: Channel, after: Channel | undefined): ManagedChange[] {
  if (after === undefined) return [];
  const change = { type: 'channel', subject: before.id, action: 'updated' } as const;
  return [{ ...change, before: auditChannel(before), after: auditChannel(after) }];
}

/**
 * The unique fields whose definition is new or changed. A field that was unique before is checked again if it changes: values
 * that did not fit the earlier definition held no claim, and may fit the new one.
 */
function newlyUnique(before: Channel, fields: readonly FieldDefinition[]): FieldDefinition[] {
  const current = new Map(compiledFields(before).definitions.map((field) => [field.name, field]));
  return fields.filter((field) => field.unique && !isDeepStrictEqual(current.get(field.name), field));
}

/** Rejects fields with duplicate values. @throws conflict naming these fields; returns if there are none */
async function rejectDuplicates(before: Channel, unique: readonly FieldDefinition[], context: Context): Promise<void> {
  const message = "entries share values, so that the field can't be unique";
  const countOf = (field: FieldDefinition, limit: number): Prisma.Sql => countDuplicatesSql(before, field, limit);
  await rejectFieldConflicts(unique, countOf, { code: 'taken', message }, context);
}

function theChannel({ siteId, uid }: Channel): Prisma.Sql {
  return Prisma.sql`c.site_id = ${siteId} AND c.uid = ${uid}::uuid`;
}
