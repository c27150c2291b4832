// Checks reference fields when a channel declares them: the channel that each field names must exist, and no stored entry may
// hold a dangling id in it (docs/contract.md §6).
import type { Context } from '../../resolvers/context.ts';
import { countDanglingSql, type ReferringField } from '../../entries/redefinition/referenceSql.ts';
import { failValidation, type FieldError } from '../../base/errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { isListType, takesChannel } from '../../fields/types.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import type { OperationContext } from '../../resolvers/operation.ts';
import { rejectFieldConflicts } from './fieldConflicts.ts';

/**
 * Finds the reference fields that are new, or whose target channel or cardinality changes. Unchanged fields are not
 * checked: the channel that one names may have been deleted since.
 * @param before the channel that declares them; its fields may name it even before it is stored
 * @returns these fields, without a new channel's references to itself, which no entry can have yet
 * @throws validation_failed if a field names no channel of the site
 */
export async function findNewReferences(
  fields: readonly FieldDefinition[],
  before: Pick<Channel, 'id' | 'fields'> & Partial<Channel>,
  { references }: OperationContext<Context>,
): Promise<ReferringField[]> {
  const current = compiledFields(before).references;
  const isNew = ({ name, type, channel }: FieldDefinition): boolean => {
    const field = current.get(name);
    return takesChannel(type) && !(field?.type === type && field.channel === channel);
  };
  const errors: FieldError[] = [];
  const changed: ReferringField[] = [];
  for (const [index, field] of fields.entries()) {
    if (!isNew(field)) continue;
    const isOwn = field.channel === before.id;
    const target = isOwn ? before : await references.findTarget(field);
    if (target === null) {
      const message = `${index}.channel: must be the id of a channel of the site, or the channel's own`;
      errors.push({ field: 'fields', code: 'invalid', message });
    } else if (target.siteId !== undefined && target.uid !== undefined) {
      const { siteId, uid } = target;
      changed.push({ name: field.name, isList: isListType(field.type), target: { siteId, uid } });
    }
  }
  return errors.length > 0 ? failValidation(errors) : changed;
}

/** Rejects fields with dangling ids. @throws conflict naming these fields; returns if there are none */
export async function rejectDanglingReferences(
  channel: Channel,
  fields: readonly ReferringField[],
  context: Context,
): Promise<void> {
  const message = "entries hold ids that name no entry of the field's channel";
  const countOf = (field: ReferringField, limit: number): Prisma.Sql => countDanglingSql(channel, field, limit);
  await rejectFieldConflicts(fields, countOf, { code: 'no_such_entry', message }, context);
}
