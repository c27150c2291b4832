// The settings of a channel as Prisma takes them: it knows JSON by a type of its own.
import type { Prisma } from '../../generated/prisma/client.ts';
import type { ChannelSettings } from '../../inputs/channel.ts';

/** Settings as columns. */
export function toColumns<Settings extends Partial<ChannelSettings>>({
  fields,
  ...others
}: Settings): Omit<Settings, 'fields'> & { fields?: Prisma.InputJsonArray } {
  return { ...others, ...(fields !== undefined && { fields: fields as unknown as Prisma.InputJsonArray }) };
}
