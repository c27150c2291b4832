// Where a request was sent to.
import { fail } from '../base/errors.ts';

/** The origin of the last request, which was valid: the next one usually has the same. */
let knownOrigin = '';

/**
 * The origin that a request was sent to, by its Host header or a trusted proxy's.
 * @throws bad_request if that is not a host
 */
export function readOrigin(origin: string): string {
  if (origin === knownOrigin) return origin;
  if (!/^https?:\/\/[A-Za-z0-9.:_[\]-]+$/.test(origin) || !URL.canParse(origin)) {
    fail('bad_request', 'The Host header must be a host name or address, with a port if needed.');
  }
  knownOrigin = origin;
  return origin;
}
