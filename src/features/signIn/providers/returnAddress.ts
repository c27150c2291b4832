// The address to which a browser comes back when its user has signed in by a provider (docs/contract.md §14.8). Pure.
import { fail } from '../../../base/errors.ts';

/** In characters: the cookie that keeps it has at most 4,096. */
const maxLength = 2_000;

/**
 * Reads the parameter `return`.
 * @param base the service's address, without a slash at the end
 * @returns the whole address, so that no browser reads another host into it
 * @throws bad_request for a text that is no path of this service
 */
export function readReturn(text: string, base: string): string {
  const service = new URL(base);
  const root = service.pathname.replace(/\/+$/, '');
  // Parsers of URLs leave line breaks and tabs out, and take a backslash for a slash.
  if (!text.startsWith('/') || /\p{Cc}/u.test(text) || !URL.canParse(text, base)) refuse();
  const url = new URL(text, base);
  const isOwn = url.origin === service.origin && url.username === '' && url.password === '';
  if (!isOwn || !url.pathname.startsWith(`${root}/`) || url.pathname.includes('//')) refuse();
  if (url.href.length > maxLength) refuse();
  return url.href;
}

/** @throws bad_request always */
function refuse(): never {
  fail('bad_request', `return must be a path of this service, such as /console, of at most ${maxLength} characters.`);
}
