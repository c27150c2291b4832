// Refuses new field definitions that the channel's stored entries violate.
import type { Context } from '../../resolvers/context.ts';
import { countWithoutTimeout } from '../../database/longStatements.ts';
import { fail, type FieldError } from '../../base/errors.ts';
import type { Prisma } from '../../generated/prisma/client.ts';

/** Counting stops at this number: an exact larger one would not help the caller, and would take longer. */
export const maxCounted = 10_000;

/** A number of entries for a message: `10000+` if counting stopped at the limit. */
export function describeCount(count: number): string {
  return count > maxCounted ? `${maxCounted}+` : String(count);
}

/**
 * Rejects fields that conflict with stored entries; returns if no field does.
 * @param countOf builds the statement that counts a field's conflicting entries, up to a limit
 * @param conflict the code and the message of each error
 * @throws conflict with an error for each such field, which has the number of conflicting entries
 */
export async function rejectFieldConflicts<Field extends { readonly name: string }>(
  fields: readonly Field[],
  countOf: (field: Field, limit: number) => Prisma.Sql,
  { code, message }: { readonly code: string; readonly message: string },
  { services: { db } }: Context,
): Promise<void> {
  const errors: FieldError[] = [];
  for (const field of fields) {
    const count = await countWithoutTimeout(db, countOf(field, maxCounted + 1));
    if (count > 0) errors.push({ field: field.name, code, message: `${message}: ${describeCount(count)}` });
  }
  if (errors.length === 0) return;
  fail('conflict', { detail: errors.map((error) => `${error.field}: ${error.message}`).join('; '), errors });
}
