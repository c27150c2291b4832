// The id and the times that an imported entry keeps (docs/contract.md §5.7). Only an operation of a bulk request can
// ask for them, by an id of its own: elsewhere these members are read-only, and ignored.
import { z } from 'zod';
import type { EntryTimes } from '../entries/draft.ts';
import type { FieldError } from '../base/errors.ts';
import { timeInput } from '../fields/time.ts';
import { uuidShape } from '../rules/names.ts';
import { listErrors } from './check.ts';

/** The members as they were sent, unchecked. */
export interface SentIdentity {
  readonly id: string;
  readonly created_at: unknown;
  readonly updated_at: unknown;
}

/** The id and the times to keep; without times, the entry gets those of the request. */
export interface KeptIdentity {
  readonly id: string;
  readonly times: EntryTimes | null;
}

const schemas = {
  id: z
    .string()
    .regex(uuidShape, 'must be a UUID')
    .transform((id) => id.toLowerCase()),
  created_at: timeInput.nullish(),
  updated_at: timeInput.nullish(),
};

/**
 * Checks an identity. If only one of the times is sent, the other one equals it.
 * @param now no time may be later: an update would set `updated_at` back, and hide itself from readers that poll for
 * changes
 * @returns the identity, or null and every error
 */
export function parseIdentity(sent: SentIdentity, now: Date): { identity: KeptIdentity | null; errors: FieldError[] } {
  const id = schemas.id.safeParse(sent.id);
  const created = schemas.created_at.safeParse(sent.created_at);
  const updated = schemas.updated_at.safeParse(sent.updated_at);
  if (!id.success || !created.success || !updated.success) {
    const errors = [
      ...listErrors(id, 'id'),
      ...listErrors(created, 'created_at'),
      ...listErrors(updated, 'updated_at'),
    ];
    return { identity: null, errors };
  }
  const createdAt = created.data ?? updated.data;
  const updatedAt = updated.data ?? created.data;
  if (!createdAt || !updatedAt) return { identity: { id: id.data, times: null }, errors: [] };
  const times = { createdAt, updatedAt };
  const errors = timeErrors(times, created.data ? 'created_at' : 'updated_at', now);
  return { identity: errors.length === 0 ? { id: id.data, times } : null, errors };
}

/** @param sent the name of the time to report an error for, if only one was sent */
function timeErrors({ createdAt, updatedAt }: EntryTimes, sent: string, now: Date): FieldError[] {
  const invalid = (field: string, message: string): FieldError[] => [{ field, code: 'invalid', message }];
  if (createdAt > now) return invalid(sent, 'must not be in the future');
  if (updatedAt > now) return invalid('updated_at', 'must not be in the future');
  return updatedAt < createdAt ? invalid('updated_at', 'must not be before created_at') : [];
}
