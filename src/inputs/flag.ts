// Reads a parameter of a URL that is true or false.
import { fail } from '../base/errors.ts';

/**
 * Parses a boolean parameter; undefined if it is absent.
 * @throws bad_request for any value except true, 1, false and 0, in any case
 */
export function readFlag(value: string | undefined, name: string): boolean | undefined {
  if (value === undefined) return undefined;
  const text = value.toLowerCase();
  if (text === 'true' || text === '1') return true;
  if (text === 'false' || text === '0') return false;
  fail('bad_request', `${name} must be true, 1, false or 0.`);
}

/**
 * Parses the query parameter `use_acl`; false if it is absent.
 * @throws bad_request for any value except true, 1, false and 0, in any case
 */
export function readUseAcl(value: string | undefined): boolean {
  return readFlag(value, 'use_acl') ?? false;
}
