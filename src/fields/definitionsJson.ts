// Field definitions as the JSON of a channel's row.
import type { Prisma } from '../generated/prisma/client.ts';
import type { FieldDefinition } from './definition.ts';

/** Returns definitions under the type that Prisma has for JSON columns: an interface such as theirs does not fit it by itself. */
export function definitionsJson(definitions: readonly FieldDefinition[]): Prisma.JsonArray {
  return definitions as unknown as Prisma.JsonArray;
}
