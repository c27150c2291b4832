// The headers of a list: the page's number and size, the total number of entries, and links to other pages
// (docs/contract.md §5; Link: RFC 8288; Prefer: RFC 7240).
import { isReachable } from '../inputs/lists/list.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';

export type CountPreference = 'exact' | 'none' | undefined;

/** Reads the preference `count` of the header `Prefer`. Unknown preferences are ignored, as RFC 7240 requires. */
export function readCountPreference(prefer: string | undefined): CountPreference {
  const preference = /(?:^|[,;])\s*count\s*=\s*"?(exact|none)"?\s*(?:[,;]|$)/i.exec(prefer ?? '')?.[1];
  return preference?.toLowerCase() as CountPreference;
}

/** The absolute URL of a list, and its parameters. */
export interface PageAddress {
  readonly path: string;
  readonly parameters: URLSearchParams;
}

/**
 * The URL of another page. @param value the value of the parameter that names the page; null to leave the parameter out
 */
function pageUrl({ path, parameters }: PageAddress, name: 'page' | 'cursor', value: string | null): string {
  const changed = new URLSearchParams(parameters);
  if (value === null) changed.delete(name);
  else changed.set(name, value);
  return changed.size === 0 ? path : `${path}?${changed.toString()}`;
}

/** Makes the headers of a page. */
export function makePageHeaders(
  page: EntryPage,
  address: PageAddress,
  preference: CountPreference,
): PromiseOrValue<Record<string, string>> {
  const counted = preference === 'none' ? null : page.count(preference ?? 'usual');
  return andThen(counted, (total) => headersOfPage(page, address, preference, total));
}

function headersOfPage(
  page: EntryPage,
  address: PageAddress,
  preference: CountPreference,
  total: Total | null,
): Record<string, string> {
  const next = page.hasNextPage ? page.edges.at(-1)?.cursor : undefined;
  const { number } = page;
  const links = number === null ? linksByCursor(address, next) : linksByNumber(address, number, page, total);
  return {
    'X-Per-Page': String(page.size),
    ...(number !== null && { 'X-Page': String(number) }),
    ...(next !== undefined && { 'X-Next-Cursor': next }),
    ...(preference !== undefined && { 'Preference-Applied': `count=${preference}` }),
    ...totalHeaders(total, page.size),
    ...linkHeader(links),
  };
}

/** Makes the headers of a page without a number. @param next the cursor of the next page; undefined on the last one */
export function makeCursorHeaders(
  address: PageAddress,
  size: number,
  next: string | undefined,
): Record<string, string> {
  return {
    'X-Per-Page': String(size),
    ...(next !== undefined && { 'X-Next-Cursor': next }),
    ...linkHeader(linksByCursor(address, next)),
  };
}

/** A link to another page, with its relation. */
interface PageLink {
  readonly relation: 'first' | 'prev' | 'next' | 'last';
  readonly url: string;
}

/** The links of a page with a cursor: only the first and the next page are known. */
function linksByCursor(address: PageAddress, next: string | undefined): PageLink[] {
  const first = { relation: 'first', url: pageUrl(address, 'cursor', null) } as const;
  if (next === undefined) return [first];
  return [first, { relation: 'next', url: pageUrl(address, 'cursor', next) }];
}

/**
 * The greatest length of the header `Link`, in characters. Each link repeats the URL, and clients and proxies refuse an
 * answer whose headers have more than 8 or 16 KiB together.
 */
const maxLinkLength = 4_096;
/**
 * The order in which links are left out until the others are short enough. Clients can go on by the other headers
 * alone.
 */
const leftOutInOrder = ['last', 'first', 'prev', 'next'] as const;

function linkHeader(links: readonly PageLink[]): { Link?: string } {
  let kept = links;
  for (const leftOut of leftOutInOrder) {
    const value = kept.map(({ url, relation }) => `<${url}>; rel="${relation}"`).join(', ');
    if (value.length > 0 && value.length <= maxLinkLength) return { Link: value };
    kept = kept.filter(({ relation }) => relation !== leftOut);
  }
  return {};
}

function totalHeaders(total: Total | null, size: number): Record<string, string> {
  if (total === null) return {};
  if ('atLeast' in total) return { 'X-Total-Count-At-Least': String(total.atLeast) };
  return { 'X-Total-Count': String(total.exactly), 'X-Total-Pages': String(Math.ceil(total.exactly / size)) };
}

/** The links of a page with a number, except to pages beyond the maximum offset. */
function linksByNumber(address: PageAddress, number: number, page: EntryPage, total: Total | null): PageLink[] {
  const last = total !== null && 'exactly' in total ? Math.max(1, Math.ceil(total.exactly / page.size)) : null;
  const candidates: [PageLink['relation'], number | null][] = [
    ['first', 1],
    ['prev', number > 1 ? Math.min(number - 1, last ?? number) : null],
    ['next', page.hasNextPage ? number + 1 : null],
    ['last', last],
  ];
  return candidates.flatMap(([relation, target]) => {
    if (target === null || !isReachable(target, page.size)) return [];
    return [{ relation, url: pageUrl(address, 'page', String(target)) }];
  });
}
