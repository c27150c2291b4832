// What a channel's new fields meet in the entries that are there already.
import type { Context } from '../../context.ts';
import { countWithoutLimit } from '../../database/longStatements.ts';
import { fail, type FieldError } from '../../errors.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Entries are counted no further than this: whoever is told needs no more. */
export const countedAtMost = 10_000;

/** A number of entries, in words. */
export function numberOf(count: number): string {
  return count > countedAtMost ? `${countedAtMost}+` : String(count);
}

/**
 * Refuses fields that entries are in the way of.
 * @param countOf the statement that counts a field's, to a limit
 * @param what what is the matter with them: an error's code and message
 * @throws conflict naming the fields, each with the number of entries
 */
export async function refuseFields<Field extends { readonly name: string }>(
  fields: readonly Field[],
  countOf: (field: Field, limit: number) => Prisma.Sql,
  { code, message }: { readonly code: string; readonly message: string },
  { db }: Context,
): Promise<void> {
  const errors: FieldError[] = [];
  for (const field of fields) {
    const count = await countWithoutLimit(db, countOf(field, countedAtMost + 1));
    if (count > 0) errors.push({ field: field.name, code, message: `${message}: ${numberOf(count)}` });
  }
  if (errors.length === 0) return;
  fail('conflict', { detail: errors.map((error) => `${error.field}: ${error.message}`).join('; '), errors });
}
