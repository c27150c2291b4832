// Refuses a new channel, customer or role whose id another one has already.
import { fail } from '../base/errors.ts';

/** @throws conflict always */
export function throwDuplicateId(noun: 'channel' | 'customer' | 'role'): never {
  fail('conflict', {
    detail: `Another ${noun} has this id already: choose another id.`,
    errors: [{ field: 'id', code: 'taken', message: `is the id of another ${noun}` }],
  });
}
