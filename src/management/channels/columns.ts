// Converts a channel's settings to the values that Prisma writes: Prisma has a type of its own for JSON columns.
import { definitionsJson } from '../../fields/definitionsJson.ts';
import { Prisma } from '../../generated/prisma/client.ts';
import { storedActor } from '../../entries/sql/write.ts';
import type { AuditActor } from '../../rules/author.ts';
import type { ChannelSettings } from './input.ts';

/** The columns that store some settings, by the names of the settings. */
export function toColumns<Settings extends Partial<ChannelSettings>>({
  fields,
  layout,
  ...others
}: Settings): Omit<Settings, 'fields' | 'layout'> & JsonColumns {
  return {
    ...others,
    ...(fields !== undefined && { fields: definitionsJson(fields) }),
    ...(layout !== undefined && { layout: jsonOrNull(layout) }),
  };
}

interface JsonColumns {
  fields?: Prisma.InputJsonArray;
  layout?: Prisma.InputJsonObject | typeof Prisma.DbNull;
}

/** A JSON object as Prisma writes it to a column that may be null. */
export function jsonOrNull(value: ChannelSettings['layout']): Prisma.InputJsonObject | typeof Prisma.DbNull {
  return value === null ? Prisma.DbNull : (value as Prisma.InputJsonObject);
}

/**
 * The column from which the database's triggers take the author of the record of a channel's change.
 * @param version the version that the channel has by it; `deleted` before it is deleted
 */
export function changedBy(actor: AuditActor, version: number | 'deleted'): Prisma.InputJsonObject {
  return { ...storedActor(actor), version };
}
