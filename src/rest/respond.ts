// Results as responses: status, headers, JSON (docs/contract.md §5).
import { createHash } from 'node:crypto';
import type { BulkOutcome, BulkResult } from '../resolvers/entries/bulk.ts';
import { readHeader } from '../context.ts';
import type { Selection } from '../inputs/selection.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';
import { restEntry, type PublicEntry } from '../serializers/entry.ts';
import { buildProblemDetails } from '../http/problem.ts';
import { readTags } from '../inputs/ifMatch.ts';
import { makePageHeaders, readCountPreference } from './page.ts';
import type { Exchange, RestResponse } from './route.ts';

/** An entry with its entity tag; 304 where `If-None-Match` names it (RFC 9110 §13.1.2). */
export function respondFetched(entry: PublicEntry, { request, input }: Exchange<Selection>): RestResponse {
  const body = JSON.stringify(restEntry(entry, input.only));
  const tag = makeEntityTag(entry.version, body);
  const known = readHeader(request.headers, 'if-none-match');
  if (known !== undefined && matchesTag(known, tag)) return { status: 304, headers: { ETag: tag }, body: null };
  return { status: 200, headers: { ETag: tag }, body };
}

/** An entry that was updated. */
export function respondUpdated(entry: PublicEntry): RestResponse {
  const body = JSON.stringify(restEntry(entry));
  return { status: 200, headers: { ETag: makeEntityTag(entry.version, body) }, body };
}

/** An entry that was created, and where it is. */
export function respondCreated(entry: PublicEntry): RestResponse {
  const body = JSON.stringify(restEntry(entry));
  return { status: 201, headers: { Location: entry.url, ETag: makeEntityTag(entry.version, body) }, body };
}

/** A page of a list, as an array. */
export async function respondPage(
  page: EntryPage,
  { request, input, context }: Exchange<Selection>,
): Promise<RestResponse> {
  const address = new URL(context.baseUrl + request.path);
  for (const [name, value] of Object.entries({ ...request.query, ...request.filters })) {
    address.searchParams.set(name, value);
  }
  const headers = await makePageHeaders(page, address, readCountPreference(readHeader(request.headers, 'prefer')));
  const body = JSON.stringify(page.edges.map(({ node }) => restEntry(node, input.only)));
  return { status: 200, headers, body };
}

/** How many entries match; null, with a header that says so, where a public token's count was cut short. */
export function respondCount(total: Total): RestResponse {
  const headers = 'atLeast' in total ? { 'X-Total-Count-At-Least': String(total.atLeast) } : {};
  return { status: 200, headers, body: JSON.stringify({ count: 'exactly' in total ? total.exactly : null }) };
}

/** The results of a bulk request, each with the status, and the entry or the problem, that its operation has by itself. */
export function respondBulk({ results }: BulkResult, { context }: Exchange<unknown>): RestResponse {
  const written = ({ status, entry, error }: BulkOutcome): object => ({
    status,
    ...(entry && { entry: restEntry(entry) }),
    ...(error && { error: buildProblemDetails(error, context.requestId) }),
  });
  return { status: 200, headers: {}, body: JSON.stringify({ results: results.map(written) }) };
}

/** That it is done. */
export function respondNothing(): RestResponse {
  return { status: 204, headers: {}, body: null };
}

/**
 * A strong tag of a response: the entry's version, for If-Match, and a digest of the very bytes, since the same version
 * reads differently to different callers and under another address.
 */
function makeEntityTag(version: number, body: string): string {
  return `"${version}.${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
}

/** Whether `If-None-Match` names a response's tag, compared weakly. A malformed header names nothing. */
function matchesTag(ifNoneMatch: string, current: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return (readTags(ifNoneMatch) ?? []).some((tag) => tag.replace(/^W\//, '') === current);
}
