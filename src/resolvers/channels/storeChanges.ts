// Stores the changes of a channel, and holds what they promise over the entries that it has already.
import { compiledFields } from '../../fields/compiled.ts';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../../context.ts';
import { isDivisionByZero, isUniqueViolation } from '../../database/databaseErrors.ts';
import { maxLongTransactionMilliseconds, disableStatementTimeout } from '../../database/longStatements.ts';
import { hiddenFromPublicWhere } from '../../entries/predicate.ts';
import { failIfDangling, type ReferringField } from '../../entries/referenceSql.ts';
import { claimValuesSql, countDuplicatesSql } from '../../entries/uniqueSql.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { Prisma, type Channel } from '../../generated/prisma/client.ts';
import type { ChannelSettings } from '../../inputs/channel.ts';
import { toColumns } from './columns.ts';
import { rejectFieldConflicts } from './fieldConflicts.ts';
import { rejectDanglingReferences } from './referenceFields.ts';

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
export async function storeChanges(
  before: Channel,
  changes: Partial<ChannelSettings>,
  { mayExpose, referring }: Decided,
  context: Context,
): Promise<Channel | undefined> {
  const { db, now } = context;
  const { siteId, uid, version } = before;
  const derives = (['fields', 'titleField', 'language'] as const).some((name) => changes[name] !== undefined);
  const update = {
    where: { siteId, uid, version, ...(!mayExpose && { entries: { none: hiddenFromPublicWhere(before, now) } }) },
    data: {
      ...toColumns(changes),
      ...(derives && { fieldsVersion: before.fieldsVersion + 1 }),
      version: version + 1,
      updatedAt: now,
    },
  };
  const unique = newlyUnique(before, changes.fields ?? []);
  const declared = { version: version + 1, fields: changes.fields ?? [] };
  const options = {
    isolationLevel: Prisma.TransactionIsolationLevel.ReadCommitted,
    timeout: maxLongTransactionMilliseconds,
  };
  try {
    return await db.$transaction(async (transaction) => {
      await transaction.$executeRaw(disableStatementTimeout);
      await transaction.$queryRaw`SELECT 1 AS held FROM channels c WHERE ${theChannel(before)} FOR UPDATE`;
      const [row] = await transaction.channel.updateManyAndReturn(update);
      for (const field of referring) await transaction.$queryRaw(failIfDangling(before, field));
      for (const field of unique) await transaction.$executeRaw(claimValuesSql(before, declared, field));
      await context.rights.within(transaction).hold();
      return row;
    }, options);
  } catch (error) {
    if (isDivisionByZero(error)) await rejectDanglingReferences(before, referring, context);
    else if (isUniqueViolation(error)) await rejectDuplicates(before, unique, context);
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
async function rejectDuplicates(before: Channel, unique: readonly FieldDefinition[], context: Context): Promise<void> {
  const message = "entries share values, so that the field can't be unique";
  const countOf = (field: FieldDefinition, limit: number): Prisma.Sql => countDuplicatesSql(before, field, limit);
  await rejectFieldConflicts(unique, countOf, { code: 'taken', message }, context);
}

function theChannel({ siteId, uid }: Channel): Prisma.Sql {
  return Prisma.sql`c.site_id = ${siteId} AND c.uid = ${uid}::uuid`;
}
