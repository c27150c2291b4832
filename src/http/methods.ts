// Methods that a path lacks.
import { fail } from '../errors.ts';

/**
 * Refuses a method (RFC 9110 §15.5.6).
 * @param allow the methods that the path takes, as the header `Allow` lists them
 * @throws method_not_allowed always
 */
export function refuseMethod(allow: string): never {
  fail('method_not_allowed', { detail: `This path takes ${allow}.`, headers: { Allow: allow } });
}
