// Makes responses of the results of operations: status, headers and JSON (docs/contract.md §5).
import { hash } from 'node:crypto';
import { readHeader } from '../auth/identify.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { Context } from '../resolvers/context.ts';
import { tagUncompressed } from '../http/compress.ts';
import { buildProblemDetails } from '../http/problem.ts';
import { readTags } from '../inputs/preconditions.ts';
import type { Selection } from '../inputs/selection.ts';
import type { BulkOutcome, BulkResult } from '../resolvers/entries/bulk.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';
import { restEntry, type PublicEntry } from '../serializers/entry.ts';
import { makePageHeaders, readCountPreference, type PageAddress } from './page.ts';
import type { Exchange, RestRequest, RestResponse } from './route.ts';

/** Responds with an entry and its entity tag; with 304 if `If-None-Match` contains the tag (RFC 9110 §13.1.2). */
export function respondFetched(entry: PublicEntry, { request, input }: Exchange<Selection>): RestResponse {
  const body = restEntry(entry, input.only);
  const tag = makeEntityTag(entry.version, body);
  const known = readHeader(request.headers, 'if-none-match');
  const matching = known === undefined ? undefined : findTag(known, tag);
  if (matching !== undefined) return { status: 304, headers: { ETag: matching }, body: null };
  return { status: 200, headers: { ETag: tag }, body };
}

/** Responds with an updated entry. */
export function respondUpdated(entry: PublicEntry): RestResponse {
  const body = restEntry(entry);
  return { status: 200, headers: { ETag: makeEntityTag(entry.version, body) }, body };
}

/** Responds with a created entry, and its address. */
export function respondCreated(entry: PublicEntry): RestResponse {
  const body = restEntry(entry);
  return { status: 201, headers: { Location: entry.url, ETag: makeEntityTag(entry.version, body) }, body };
}

/** Responds with a page of a list, as an array of entries. */
export function respondPage(
  page: EntryPage,
  { request, input, context }: Exchange<Selection>,
): PromiseOrValue<RestResponse> {
  const address = addressOf(request, context);
  const preference = readCountPreference(readHeader(request.headers, 'prefer'));
  return andThen(makePageHeaders(page, address, preference), (headers) => {
    // Joined without `join`, which copies the texts of the entries; sending them copies them once more.
    let body = '';
    for (const { node } of page.edges) body += `${body === '' ? '[' : ','}${restEntry(node, input.only)}`;
    body = body === '' ? '[]' : `${body}]`;
    return { status: 200, headers, body };
  });
}

/** The address of a list, for the links to its other pages. */
export function addressOf({ path, query, filters }: RestRequest, { baseUrl }: Context): PageAddress {
  return { path: new URL(baseUrl + path).href, parameters: new URLSearchParams({ ...query, ...filters }) };
}

/**
 * Responds with the number of matching entries; with null, and the lower bound in a header, if counting stopped at a
 * limit.
 */
export function respondCount(total: Total): RestResponse {
  const headers = 'atLeast' in total ? { 'X-Total-Count-At-Least': String(total.atLeast) } : {};
  return { status: 200, headers, body: JSON.stringify({ count: 'exactly' in total ? total.exactly : null }) };
}

/**
 * Responds with the results of a bulk request: for each operation its status, and its entry with the entity tag or its
 * problem, as in a response to it alone.
 */
export function respondBulk({ results }: BulkResult, { context }: Exchange<unknown>): RestResponse {
  const write = ({ status, entry, error }: BulkOutcome): string => {
    const body = entry && restEntry(entry);
    const outcome = body ? `,"entry":${body},"etag":${JSON.stringify(makeEntityTag(entry.version, body))}` : '';
    const refusal = error ? `,"error":${JSON.stringify(buildProblemDetails(error, context.stats.requestId))}` : '';
    return `{"status":${status}${outcome}${refusal}}`;
  };
  return { status: 200, headers: {}, body: `{"results":[${results.map(write).join(',')}]}` };
}

/** Responds to an operation that has no result. */
export function respondNothing(): RestResponse {
  return { status: 204, headers: {}, body: null };
}

/**
 * Makes the strong entity tag of a response: the entry's version, for If-Match, and a digest of the body, because the body of
 * the same version differs between callers and between addresses of the service.
 */
function makeEntityTag(version: number, body: string): string {
  return `"${version}.${hash('sha256', body, 'base64url').slice(0, 16)}"`;
}

/**
 * Finds a response's tag in `If-None-Match`, by weak comparison, in the form that it has with or without compression:
 * the client keeps the response under the tag that it sent. A malformed header matches nothing.
 */
export function findTag(ifNoneMatch: string, current: string): string | undefined {
  if (ifNoneMatch.trim() === '*') return current;
  const found = (readTags(ifNoneMatch) ?? []).find((tag) =>
    [tag.replace(/^W\//, ''), tagUncompressed(tag)].includes(current),
  );
  return found?.replace(/^W\//, '');
}
