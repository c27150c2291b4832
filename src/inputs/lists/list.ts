// Parses requests for lists of entries: REST's parameters and GraphQL's arguments take one form (docs/contract.md §5, §7).
import type { Limits } from '../../config/config.ts';
import { fail } from '../../base/errors.ts';
import type { EntryFilter } from '../../generated/graphql/types.ts';
import type { PreviewArguments } from '../actor.ts';
import { parseGraphqlFilter, type Condition } from './filter.ts';
import { parseCommaList, parseFilterParameters } from './filterParameters.ts';
import { parametersTaken, type ListParameter } from './listParameters.ts';
import { parseSelection, type Selection } from '../selection.ts';
import { readSort, type SortRequest } from './sort.ts';
import { assertStorableText } from '../json.ts';

/** GraphQL's arguments that select entries. */
export interface MatchArguments extends PreviewArguments {
  readonly channel: string;
  readonly useAcl?: boolean;
  readonly where?: EntryFilter | null;
  readonly search?: string | null;
}

/** GraphQL's arguments of a list. */
export interface ListArguments extends MatchArguments {
  readonly sort?: readonly string[] | null;
  readonly first?: number | null;
  readonly after?: string | null;
  readonly page?: number | null;
}

/** REST's arguments of a list or a count: texts of a URL. */
export interface UrlListArguments extends PreviewArguments {
  readonly channel: string;
  readonly useAcl?: boolean;
  /** The parameters of lists. */
  readonly query: Readonly<Partial<Record<ListParameter, string>>>;
  /** All other parameters: comparisons with fields. */
  readonly filters: Readonly<Record<string, string>>;
}

/** The selection of entries. */
export interface MatchInput {
  readonly channel: string;
  readonly filter: Condition;
  readonly search: string | null;
  /** The parameters of the URL that a mistyped comparison may stand for; none in GraphQL. */
  readonly parameters: readonly ListParameter[];
  /** Whether fixed members may have their names of GraphQL. */
  readonly isGraphql: boolean;
}

/** A request for a list. */
export interface ListInput extends MatchInput, Selection {
  readonly page: Page;
  /** Null sorts by relevance to the search, best match first. */
  readonly sort: readonly SortRequest[] | null;
}

/**
 * @param taker the request that selects entries: a list or a count
 * @throws bad_request for a malformed filter or search
 */
export function parseMatch(
  args: MatchArguments | UrlListArguments,
  { json }: Limits,
  taker: 'list' | 'count',
): MatchInput {
  const { channel } = args;
  if (!('query' in args)) {
    const filter = parseGraphqlFilter(args.where);
    return { channel, filter, search: readSearch(args.search, 'search'), parameters: [], isGraphql: true };
  }
  const { where, q } = args.query;
  const parameters = parametersTaken[taker];
  const filter = parseFilterParameters(Object.entries(args.filters), where, parameters, json);
  return { channel, filter, search: readSearch(q, 'q'), parameters, isGraphql: false };
}

/** @throws bad_request for a malformed page, sort order, filter or search */
export function parseList(args: ListArguments | UrlListArguments, limits: Limits): ListInput {
  const { sort, only, include, ...page } =
    'query' in args ? readParameters(args.query) : { ...args, only: undefined, include: undefined };
  const match = parseMatch(args, limits, 'list');
  const order = readSort(sort);
  return {
    page: readPageArguments(page),
    sort: match.search !== null && (sort ?? []).length === 0 ? null : order,
    ...match,
    ...parseSelection({ only, include }),
  };
}

/**
 * Converts the parameters of a URL to the names of GraphQL's arguments. `parseMatch` reads those that select entries,
 * and `perform` those of previews; a parameter that is named neither there nor here would be ignored, and does not
 * compile.
 */
function readParameters(query: UrlListArguments['query']): {
  page: number | null;
  first: number;
  after: string | null;
  sort: string[] | null;
  only: string | undefined;
  include: string | null;
} {
  const { page, per_page: size, cursor, sort, only, include, ...others } = query;
  const { where: _where, q: _q, use_acl: _useAcl, as: _as, at: _at, ...ignored } = others;
  return {
    ...(ignored satisfies Record<string, never>),
    page: readInteger(page, 'page') ?? (cursor === undefined ? 1 : null),
    first: readInteger(size, 'per_page') ?? defaultSize,
    after: cursor ?? null,
    sort: sort === undefined ? null : parseCommaList('sort', sort),
    only,
    include: include ?? null,
  };
}

/** Parses a number in a URL. @throws bad_request if the text is not a whole number */
export function readInteger(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) fail('bad_request', `${name} must be a whole number.`);
  return Number(text);
}

/** Default and maximum number of rows in a page. */
export const defaultSize = 30;
export const maxPageSize = 250;
/** Maximum number of changes in a page, larger than that of other lists. */
export const maxChanges = 1_000;
/** Maximum number of rows before a numbered page: the database reads each of them. */
const maxOffset = 100_000;

/** A page by number, from 1, or the rows after a cursor. */
export type Page =
  | { readonly size: number; readonly number: number; readonly offset: number }
  | { readonly size: number; readonly cursor: string };

/** Both doors' arguments under GraphQL's names. REST calls `first` per_page. */
export interface PageArguments {
  readonly first?: number | null | undefined;
  readonly page?: number | null | undefined;
  readonly after?: string | null | undefined;
}

/** Parses the requested page. @throws bad_request if it is out of bounds, or requested in two ways */
function readPageArguments({ first, page, after }: PageArguments): Page {
  const size = readSize(first);
  if (after !== undefined && after !== null) {
    if (page !== undefined && page !== null)
      fail('bad_request', 'Ask for a page by its number or by a cursor, not by both.');
    return { size, cursor: after };
  }
  const number = page ?? 1;
  if (!Number.isSafeInteger(number) || number < 1) fail('bad_request', 'page must be a whole number, and at least 1.');
  const offset = (number - 1) * size;
  if (offset > maxOffset) {
    fail('bad_request', `page must begin within ${maxOffset} rows; use a cursor to read further.`);
  }
  return { size, number, offset };
}

/** Whether a page with this number may be requested. */
export function isReachable(number: number, size: number): boolean {
  return (number - 1) * size <= maxOffset;
}

/** Checks the number of rows in a page. @throws bad_request outside 1 to 250 */
export function readSize(first: number | null | undefined): number {
  const size = first ?? defaultSize;
  if (!Number.isSafeInteger(size) || size < 1 || size > maxPageSize) {
    fail('bad_request', `A page must have 1 to ${maxPageSize} items (REST: per_page, GraphQL: first).`);
  }
  return size;
}

/** In characters. */
export const maxSearchLength = 1_000;

/**
 * Checks the text of a search; null without one.
 * @param name its name at the caller's door
 * @throws bad_request if it is empty or too long
 */
export function readSearch(text: string | null | undefined, name: 'q' | 'search'): string | null {
  if (text === null || text === undefined) return null;
  assertStorableText(text, name);
  // A character takes one or two units of UTF-16. Texts that are far too long need not be counted.
  const length = text.length > maxSearchLength * 2 ? text.length : Array.from(text).length;
  if (length < 1 || length > maxSearchLength) fail('bad_request', `${name} must have 1 to 1,000 characters.`);
  return text;
}
