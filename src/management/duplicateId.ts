// Refuses a new channel or customer whose id another one has already.
import { fail } from '../base/errors.ts';

/** @throws conflict always */
export function throwDuplicateId(noun: 'channel' | 'customer'): never {
  fail('conflict', {
    detail: `Another ${noun} has this id already: choose another id.`,
    errors: [{ field: 'id', code: 'taken', message: `is the id of another ${noun}` }],
  });
}
