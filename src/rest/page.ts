// The headers of a list: where the page stands, how many entries there are, and the links to its neighbours
// (docs/contract.md §5; Link: RFC 8288; Prefer: RFC 7240).
import type { Response } from 'express';
import { isReachable, publicCountLimit } from '../inputs/page.ts';
import type { EntryPage, Total } from '../serializers/connection.ts';

/** Totals are exact up to this many matches, unless the caller prefers an exact count. */
const usualLimit = 10_000;

type CountPreference = 'exact' | 'none';

/** What `Prefer` says of counting. Preferences that are not known are ignored, as RFC 7240 asks. */
export function countPreference(prefer: string | undefined): CountPreference | undefined {
  const preference = /(?:^|[,;])\s*count\s*=\s*"?(exact|none)"?\s*(?:[,;]|$)/i.exec(prefer ?? '')?.[1];
  return preference?.toLowerCase() as CountPreference | undefined;
}

/** Sets the headers of a page. @param address the list's absolute URL with all its parameters */
export async function setPageHeaders(
  response: Response,
  page: EntryPage,
  address: URL,
  { preference, isPublic }: { preference: CountPreference | undefined; isPublic: boolean },
): Promise<void> {
  const limit = preference === 'exact' ? (isPublic ? publicCountLimit : null) : usualLimit;
  const total = preference === 'none' ? null : await page.count(limit);
  const next = page.hasNextPage ? page.edges.at(-1)?.cursor : undefined;
  response.set({ 'X-Per-Page': String(page.size), ...(page.number !== null && { 'X-Page': String(page.number) }) });
  if (next !== undefined) response.set('X-Next-Cursor', next);
  if (preference !== undefined) response.set('Preference-Applied', `count=${preference}`);
  response.set(totalHeaders(total, page.size));
  const { number } = page;
  const related = number === null ? linksByCursor(address, next) : links(address, number, page, total);
  response.set('Link', related.join(', '));
}

/** Behind a cursor only what comes next is known. */
function linksByCursor(address: URL, next: string | undefined): string[] {
  const first = new URL(address);
  first.searchParams.delete('cursor');
  const further = new URL(address);
  further.searchParams.set('cursor', next ?? '');
  return [link(first, 'first'), ...(next === undefined ? [] : [link(further, 'next')])];
}

function link(url: URL, relation: string): string {
  return `<${url.href}>; rel="${relation}"`;
}

function totalHeaders(total: Total | null, size: number): Record<string, string> {
  if (total === null) return {};
  if ('atLeast' in total) return { 'X-Total-Count-At-Least': String(total.atLeast) };
  return { 'X-Total-Count': String(total.exactly), 'X-Total-Pages': String(Math.ceil(total.exactly / size)) };
}

function links(address: URL, number: number, page: EntryPage, total: Total | null): string[] {
  const last = total !== null && 'exactly' in total ? Math.max(1, Math.ceil(total.exactly / page.size)) : null;
  const candidates: [string, number | null][] = [
    ['first', 1],
    ['prev', number > 1 ? Math.min(number - 1, last ?? number) : null],
    ['next', page.hasNextPage ? number + 1 : null],
    ['last', last],
  ];
  return candidates.flatMap(([relation, target]) => {
    if (target === null || !isReachable(target, page.size)) return [];
    const url = new URL(address);
    url.searchParams.set('page', String(target));
    return [link(url, relation)];
  });
}
