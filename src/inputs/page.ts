// Reads which page of a list is asked for: by its number, or behind a cursor (docs/contract.md §5, §7).
import { fail } from '../errors.ts';

/** How many rows a page has unless the caller says otherwise, and at most. */
export const defaultSize = 30;
export const largestSize = 250;
/** How many rows may come before a page by number: each of them costs time. */
const deepestOffset = 100_000;

/** A page by number, from 1, or the rows behind a cursor. */
export type Page =
  | { readonly size: number; readonly number: number; readonly offset: number }
  | { readonly size: number; readonly cursor: string };

/** The arguments of both doors by GraphQL's names. REST calls `first` per_page. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly page?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/**
 * The page that a caller asks for.
 * @throws bad_request where it is out of bounds, or asked for in two ways
 */
export function readPage({ first, page, after }: PageArguments): Page {
  const size = readSize(first);
  if (after !== undefined && after !== null) {
    if (page !== undefined && page !== null)
      fail('bad_request', 'Ask for a page by its number or by a cursor, not by both.');
    return { size, cursor: after };
  }
  const number = page ?? 1;
  if (!Number.isSafeInteger(number) || number < 1) fail('bad_request', 'page must be a whole number, and at least 1.');
  const offset = (number - 1) * size;
  if (offset > deepestOffset) {
    fail('bad_request', `page must begin within ${deepestOffset} rows; use a cursor to read further.`);
  }
  return { size, number, offset };
}

/** Whether a page by this number could be asked for. */
export function isReachable(number: number, size: number): boolean {
  return (number - 1) * size <= deepestOffset;
}

/**
 * How many rows a page of any list has.
 * @throws bad_request outside 1 to 250
 */
export function readSize(first: number | null | undefined): number {
  const size = first ?? defaultSize;
  if (!Number.isSafeInteger(size) || size < 1 || size > largestSize) {
    fail('bad_request', `A page must have 1 to ${largestSize} items (REST: per_page, GraphQL: first).`);
  }
  return size;
}
