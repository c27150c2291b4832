// Declaring fields that refer to entries: the channel that each names, and stored values that name nothing there
// (docs/contract.md §6).
import type { Context } from '../../context.ts';
import { straysOf, type ReferringField } from '../../entries/referenceSql.ts';
import { failValidation, type FieldError } from '../../errors.ts';
import { compiledFields } from '../../fields/compiled.ts';
import type { FieldDefinition } from '../../fields/definition.ts';
import { takesChannel } from '../../fields/types.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import { refuseFields } from './fieldConflicts.ts';
import { targetsOf } from '../references/loader.ts';

/**
 * Those of some fields that are to refer to entries and did not, or to those of another channel, or in another form. A
 * field that stays what it is may name a channel that was deleted.
 * @param before the channel that they are declared for; it may be the one that they name, though it is yet to be made
 * @throws validation_failed where one names no channel of the site
 */
export async function newReferences(
  fields: readonly FieldDefinition[],
  before: Pick<Channel, 'id' | 'fields'> & Partial<Channel>,
  context: Context,
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
    const target = isOwn ? before : await targetsOf(context).channelOf(field);
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

/** @throws conflict naming the fields that entries hold ids in which name nothing */
export async function refuseStrays(
  channel: Channel,
  fields: readonly ReferringField[],
  context: Context,
): Promise<void> {
  const message = "entries hold ids that name no entry of the field's channel";
  const countOf = (field: ReferringField, limit: number): Prisma.Sql => straysOf(channel, field, limit);
  await refuseFields(fields, countOf, { code: 'no_such_entry', message }, context);
}
