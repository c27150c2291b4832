// The title of an entry: the value of its channel's title field.
import type { Channel } from '../generated/prisma/client.ts';
import { referencesOf } from './definition.ts';
import type { Values } from './stored.ts';

/**
 * The title field's value as text, or null where it shows none: whom a reference names is not for everybody to see.
 * @param shown the values that the entry shows
 */
export function titleOf(shown: Values, channel: Pick<Channel, 'titleField' | 'fields'>): string | null {
  const { titleField } = channel;
  const value = Object.hasOwn(shown, titleField) && !referencesOf(channel).has(titleField) ? shown[titleField] : null;
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : null;
}
