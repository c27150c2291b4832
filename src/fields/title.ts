// The title of an entry: the value of its channel's title field.
import type { Channel } from '../generated/prisma/client.ts';
import { compiledFields } from './compiled.ts';
import type { Values } from './stored.ts';

/**
 * The value of the title field as text, or null where it has no value that is text, a number or a truth value. A reference is
 * never a title, since not every reader may know which entry it names.
 * @param shown the values that the entry shows
 */
export function entryTitle(shown: Values, channel: Pick<Channel, 'titleField' | 'fields'>): string | null {
  const { titleField } = channel;
  if (!Object.hasOwn(shown, titleField) || compiledFields(channel).references.has(titleField)) return null;
  const value = shown[titleField];
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
