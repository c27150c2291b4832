// How results are sent: status, headers, JSON (docs/contract.md §5).
import type { Response } from 'express';
import type { KeptAnswer } from '../resolvers/idempotency.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';
import type { PublicEntry } from '../serializers/entry.ts';
import { restEntry } from '../serializers/restEntry.ts';
import { entityTag, isNamedBy } from './entityTag.ts';
import { readList } from '../http/query.ts';
import type { Exchange, RestRequest } from './handler.ts';
import { countPreference, setPageHeaders } from './page.ts';

/** One entry with its entity tag; 304 where a read's `If-None-Match` names it (RFC 9110 §13.1.2). */
export function sendEntry(entry: PublicEntry, { request, response, status }: Exchange): void {
  const body = JSON.stringify(membersOf(restEntry(entry), request));
  const tag = entityTag(entry.version, body);
  response.set('ETag', tag);
  const isRead = response.req.method === 'GET' || response.req.method === 'HEAD';
  if (isRead && isNamedBy(request.header('if-none-match'), tag)) {
    response.status(304).end();
    return;
  }
  response.status(status).type('application/json').send(body);
}

/** An entry that was created, and where it is. */
export function createdAnswer(entry: PublicEntry, status: number): KeptAnswer {
  const body = JSON.stringify(restEntry(entry));
  return { status, headers: { Location: entry.url, ETag: entityTag(entry.version, body) }, body };
}

/** Sends an answer in JSON. */
export function sendKept({ status, headers, body }: KeptAnswer, response: Response): void {
  response.status(status).set(headers).type('application/json').send(body);
}

/** A page of a list, as an array. */
export async function sendPage(page: EntryPage, { request, response, context, path, status }: Exchange): Promise<void> {
  const address = new URL(context.baseUrl + path);
  for (const [name, value] of [...request.query, ...request.filters]) address.searchParams.set(name, value);
  await setPageHeaders(response, page, address, {
    preference: countPreference(request.header('prefer')),
    isPublic: context.caller.kind === 'public',
  });
  response.status(status).json(page.edges.map(({ node }) => membersOf(restEntry(node), request)));
}

/** The members that `only` names, and the id; all of them without it. */
function membersOf(entry: Record<string, unknown>, { query }: RestRequest): Record<string, unknown> {
  const only = readList(query, 'only');
  if (only === undefined) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name === 'id' || only.includes(name)));
}

/** How many entries match; null, with a header that says so, where a public token's count was cut short. */
export function sendCount(total: Total, { response, status }: Exchange): void {
  if ('atLeast' in total) response.set('X-Total-Count-At-Least', String(total.atLeast));
  response.status(status).json({ count: 'exactly' in total ? total.exactly : null });
}

/** That it is done. */
export function sendNothing(_result: unknown, { response, status }: Exchange): void {
  response.status(status).end();
}
