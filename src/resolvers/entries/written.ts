// What became of a write: the row, a conflict, or a stale decision that is to be made once more.
import type { EntryRow } from '../../entries/members.ts';
import type { Written } from '../../entries/write.ts';
import { ServiceError } from '../../errors.ts';
import { stale, type Stale } from '../perform.ts';

/**
 * The row that was written; stale where the entry or the channel changed meanwhile, or a slug was taken meanwhile.
 * @throws conflict where unique values are other entries' already
 */
export function rowOrStale(written: Written): EntryRow | Stale {
  if (typeof written === 'string') return stale;
  if ('taken' in written) throw duplicateError(written.taken);
  return written;
}

/** The refusal of a write whose values of some fields are other entries'. */
export function duplicateError(fields: readonly string[]): ServiceError {
  return new ServiceError('conflict', {
    detail: `Taken: ${fields.join(', ')}.`,
    errors: fields.map((field) => ({ field, code: 'taken', message: 'is another entry’s' })),
  });
}
