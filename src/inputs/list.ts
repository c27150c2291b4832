// Parses requests for lists of entries: REST's parameters and GraphQL's arguments take one form (docs/contract.md §5, §7).
import type { Limits } from '../config.ts';
import { fail } from '../errors.ts';
import type { EntryFilter } from '../generated/graphql/types.ts';
import { parseGraphqlFilter, type Condition } from './filter.ts';
import { parseFilterParameters } from './filterParameters.ts';
import { parametersTaken, type ListParameter } from './listParameters.ts';
import { parseOnly } from './only.ts';
import { defaultSize, readPage, type Page } from './page.ts';
import { parseInclude, type Include } from './references.ts';
import { readSearch } from './search.ts';
import { readSort, type SortRequest } from './sort.ts';

/** GraphQL's arguments that say which entries are asked for. */
export interface MatchArguments {
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
export interface UrlListArguments {
  readonly channel: string;
  readonly useAcl?: boolean;
  /** The parameters of lists. */
  readonly query: Readonly<Partial<Record<ListParameter, string>>>;
  /** All other parameters: each is a comparison with a field. */
  readonly filters: Readonly<Record<string, string>>;
}

/** Which entries are asked for. */
export interface MatchInput {
  readonly channel: string;
  readonly filter: Condition;
  readonly search: string | null;
  /** The parameters of the URL that a comparison's name could have been meant for; none in GraphQL. */
  readonly parameters: readonly ListParameter[];
}

/** Which list is asked for. */
export interface ListInput extends MatchInput {
  readonly page: Page;
  /** null: by how well entries match the search, the best first. */
  readonly sort: readonly SortRequest[] | null;
  readonly only: readonly string[] | null;
  readonly include: Include | null;
}

/**
 * @param taker whose entries are asked for: those of a list, or of a count
 * @throws bad_request for a filter or search that can't be understood
 */
export function parseMatch(
  args: MatchArguments | UrlListArguments,
  { json }: Limits,
  taker: 'list' | 'count',
): MatchInput {
  const { channel } = args;
  if (!('query' in args)) {
    const filter = parseGraphqlFilter(args.where);
    return { channel, filter, search: readSearch(args.search, 'search'), parameters: [] };
  }
  const { where, q } = args.query;
  const parameters = parametersTaken[taker];
  const filter = parseFilterParameters(Object.entries(args.filters), where, parameters, json);
  return { channel, filter, search: readSearch(q, 'q'), parameters };
}

/** @throws bad_request for a page, a sort order, a filter or a search that can't be understood */
export function parseList(args: ListArguments | UrlListArguments, limits: Limits): ListInput {
  const { sort, only, include, ...page } =
    'query' in args ? readParameters(args.query) : { ...args, only: undefined, include: undefined };
  const match = parseMatch(args, limits, 'list');
  const order = readSort(sort);
  return {
    ...match,
    page: readPage(page),
    sort: match.search !== null && (sort ?? []).length === 0 ? null : order,
    only: parseOnly(only),
    include: parseInclude(include),
  };
}

/** The parameters of a URL, by the names of GraphQL's arguments. */
function readParameters({ page, per_page: size, cursor, sort, only, include }: UrlListArguments['query']): {
  page: number | null;
  first: number;
  after: string | null;
  sort: string[] | null;
  only: string | undefined;
  include: string | null;
} {
  return {
    page: readInteger(page, 'page') ?? (cursor === undefined ? 1 : null),
    first: readInteger(size, 'per_page') ?? defaultSize,
    after: cursor ?? null,
    sort: sort?.split(',') ?? null,
    only,
    include: include ?? null,
  };
}

/** @throws bad_request where a text is not a whole number */
function readInteger(text: string | undefined, name: string): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,15}$/.test(text)) fail('bad_request', `${name} must be a whole number.`);
  return Number(text);
}
