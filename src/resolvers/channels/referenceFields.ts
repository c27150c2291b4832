// Declaring fields that refer to entries: the channel that each names must exist, and the ids that entries hold in such a
// field must not dangle (docs/contract.md §6).
import type { Context } from '../../context.ts';
import { countDanglingSql, type ReferringField } from '../../entries/referenceSql.ts';
import { failValidation, type FieldError } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { takesChannel } from '../../fields/types.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import { rejectFieldConflicts } from './fieldConflicts.ts';
import type { OperationContext } from '../perform.ts';

/**
 * Finds the reference fields that are new, or whose target channel or cardinality changes. A field that stays as it is may
 * name a channel that was deleted.
 * @param before the channel that declares them; a field may name it even before it exists
 * @throws validation_failed where one names no channel of the site
 */
export async function findNewReferences(
  fields: readonly FieldDefinition[],
  before: Pick<Channel, 'id' | 'fields'> & Partial<Channel>,
  { references }: OperationContext<Context>,
): Promise<ReferringField[]> {
  const standing = compiledFields(before).references;
  const isNew = ({ name, type, channel }: FieldDefinition): boolean => {
    const field = standing.get(name);
    return takesChannel(type) && !(field?.type === type && field.channel === channel);
  };
  const errors: FieldError[] = [];
  const found: ReferringField[] = [];
  for (const [index, field] of fields.entries()) {
    if (!isNew(field)) continue;
    const isOwn = field.channel === before.id;
    const target = isOwn ? before : await references.findTarget(field);
    if (target === null) {
      const message = `${index}.channel: must be the id of a channel of the site, or the channel's own`;
      errors.push({ field: 'fields', code: 'invalid', message });
    } else if (target.siteId !== undefined && target.uid !== undefined) {
      const { siteId, uid } = target;
      found.push({ name: field.name, isList: field.type === 'references', target: { siteId, uid } });
    }
  }
  return errors.length > 0 ? failValidation(errors) : found;
}

/** @throws conflict naming the fields in which entries hold dangling ids */
export async function rejectDanglingReferences(
  channel: Channel,
  fields: readonly ReferringField[],
  context: Context,
): Promise<void> {
  const message = "entries hold ids that name no entry of the field's channel";
  const countOf = (field: ReferringField, limit: number): Prisma.Sql => countDanglingSql(channel, field, limit);
  await rejectFieldConflicts(fields, countOf, { code: 'no_such_entry', message }, context);
}
