// Conflicts of a channel's new fields with the entries that it has already.
import type { Context } from '../../context.ts';
import { countWithoutTimeout } from '../../database/longStatements.ts';
import { fail, type FieldError } from '../../errors.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Entries are counted no further than this: more would tell the caller nothing. */
export const maxCounted = 10_000;

/** A number of entries, for messages. */
export function describeCount(count: number): string {
  return count > maxCounted ? `${maxCounted}+` : String(count);
}

/**
 * Rejects fields that conflict with stored entries.
 * @param countOf the statement that counts a field's conflicting entries, up to a limit
 * @param conflict the code and message of the errors
 * @throws conflict naming the fields, each with the number of entries
 */
export async function rejectFieldConflicts<Field extends { readonly name: string }>(
  fields: readonly Field[],
  countOf: (field: Field, limit: number) => Prisma.Sql,
  { code, message }: { readonly code: string; readonly message: string },
  { db }: Context,
): Promise<void> {
  const errors: FieldError[] = [];
  for (const field of fields) {
    const count = await countWithoutTimeout(db, countOf(field, maxCounted + 1));
    if (count > 0) errors.push({ field: field.name, code, message: `${message}: ${describeCount(count)}` });
  }
  if (errors.length === 0) return;
  fail('conflict', { detail: errors.map((error) => `${error.field}: ${error.message}`).join('; '), errors });
}
