// The refusal of a new channel or customer whose id is taken.
import { fail } from '../errors.ts';

/** @throws conflict always */
export function throwDuplicateId(noun: 'channel' | 'customer'): never {
  fail('conflict', {
    detail: 'The id is taken.',
    errors: [{ field: 'id', code: 'taken', message: `is another ${noun}’s` }],
  });
}
