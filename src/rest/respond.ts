// Results as responses: status, headers, JSON (docs/contract.md §5).
import { createHash } from 'node:crypto';
import type { BulkOutcome, BulkResult } from '../resolvers/entries/bulk.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';
import { restEntry, type PublicEntry } from '../serializers/entry.ts';
import { buildProblemDetails } from '../http/problem.ts';
import { readTags } from '../inputs/ifMatch.ts';
import { makePageHeaders, readCountPreference } from './page.ts';
import type { Exchange, RestResponse } from './route.ts';

/** What a read was asked to return of each entry: the members to keep, or null for all. */
interface Selection {
  readonly only: readonly string[] | null;
}

/** An entry with its entity tag; 304 where `If-None-Match` names it (RFC 9110 §13.1.2). */
export function respondFetched(entry: PublicEntry, { request, input }: Exchange<Selection>): RestResponse {
  const body = JSON.stringify(selectMembers(restEntry(entry), input));
  const tag = makeEntityTag(entry.version, body);
  if (matchesTag(request.header('if-none-match'), tag)) return { status: 304, headers: { ETag: tag }, body: null };
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
  const headers = await makePageHeaders(page, address, readCountPreference(request.header('prefer')));
  const body = JSON.stringify(page.edges.map(({ node }) => selectMembers(restEntry(node), input)));
  return { status: 200, headers, body };
}

/** The members that `only` names, and the id; all of them without it. */
function selectMembers(entry: Record<string, unknown>, { only }: Selection): Record<string, unknown> {
  if (only === null) return entry;
  return Object.fromEntries(Object.entries(entry).filter(([name]) => name === 'id' || only.includes(name)));
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
export function makeEntityTag(version: number, body: string): string {
  return `"${version}.${createHash('sha256').update(body).digest('base64url').slice(0, 16)}"`;
}

/** Whether `If-None-Match` names a response's tag, compared weakly. A malformed header names nothing. */
export function matchesTag(ifNoneMatch: string | undefined, current: string): boolean {
  if (ifNoneMatch === undefined) return false;
  if (ifNoneMatch.trim() === '*') return true;
  return (readTags(ifNoneMatch) ?? []).some((tag) => tag.replace(/^W\//, '') === current);
}
