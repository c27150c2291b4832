// Answers browsers that open an unknown address: with the page that is likely meant, or one that says so
// (docs/contract.md §20).
import accepts from 'accepts';
import type { Config } from '../config/config.ts';
import type { HttpRequest, HttpResponse } from '../http/messages.ts';
import { plainPage } from './plainPage.ts';
import { pageHeaders } from './policy.ts';

/** The paths that have a page. A path with a slash at its end redirects to its page. */
const pagePaths: ReadonlySet<string> = new Set([
  '/docs',
  '/console',
  '/console/invitation',
  '/graphql',
  '/graphql/site',
]);

/** Whether a client prefers HTML to JSON, as browsers do when they open an address. */
export function prefersPage(request: HttpRequest): boolean {
  return accepts(request).type(['application/json', 'text/html']) === 'text/html';
}

/**
 * Answers a browser that opened an unknown address. Links are relative, as a proxy may add a path.
 * @returns false if the answer for programs is the right one
 */
export function sendMissingPage(
  request: HttpRequest,
  response: HttpResponse,
  { console: isOn }: Pick<Config, 'console'>,
): boolean {
  if (!isOn || response.headersSent || !['GET', 'HEAD'].includes(request.method)) return false;
  response.varyBy(['Accept']);
  if (!prefersPage(request)) return false;
  const { path } = request;
  const bare = path.replace(/\/+$/, '');
  const up = '../'.repeat(path.split('/').length - 2);
  if (pagePaths.has(bare)) {
    response.setHeader('Location', `${up}${bare.slice(1)}`);
    response.sendNothing(302);
    return true;
  }
  response.setAll(pageHeaders);
  response.sendEncoded(404, 'text/html; charset=utf-8', Buffer.from(missingPage(up)), null);
  return true;
}

/** The page. It repeats nothing of the request. @param up the relative path of the start page */
function missingPage(up: string): string {
  const start = up === '' ? './' : up;
  return plainPage(
    'No such page',
    `<p>There is nothing at this address. Programs get this as JSON.</p>
      <p>
        <a href="${start}">Start</a>, <a href="${start}console">console</a>, <a href="${start}graphql">GraphQL</a>,
        <a href="${start}docs">reference of REST</a>
      </p>`,
  );
}
