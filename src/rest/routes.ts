// The REST door: each route a row, which says how a request becomes the arguments of a resolver, and its result an
// answer. Nothing is decided here.
import { fail } from '../errors.ts';
import type { Condition } from '../inputs/filter.ts';
import { parseFilterParameters } from '../inputs/filterParameters.ts';
import { isObject } from '../inputs/json.ts';
import { parametersTaken } from '../inputs/listParameters.ts';
import { defaultSize, readPage } from '../inputs/page.ts';
import { RestPayload } from '../inputs/payload.ts';
import { readInclude, type Include } from '../inputs/references.ts';
import { readSearch } from '../inputs/search.ts';
import { readSort } from '../inputs/sort.ts';
import { resolvers, restResolvers } from '../resolvers/index.ts';
import { createdAnswer, sendCount, sendEntry, sendNothing, sendPage } from './answers.ts';
import { bulkBody, readBulk } from './bulk.ts';
import { versionsOf } from './entityTag.ts';
import { row, type RestRequest } from './handler.ts';
import { keyedRow } from './keyed.ts';
import { readInteger, readList } from '../http/query.ts';

const { Mutation } = resolvers;
const collection = '/channels/:channel/entries';
const member = `${collection}/:entry`;

const update = {
  path: member,
  status: 200,
  parameters: [],
  toArgs: (request: RestRequest) => ({ ...namedEntry(request), ...precondition(request), input: payload(request) }),
  resolver: restResolvers.updateEntry,
  answer: sendEntry,
};

/** The table. Paths are listed before those that would match them too. */
export const routes = [
  keyedRow({
    method: 'POST',
    path: collection,
    status: 201,
    parameters: [],
    toArgs: (request) => ({ ...namedChannel(request), input: payload(request) }),
    operations: () => 1,
    resolver: restResolvers.createEntry,
    answer: (entry, { status }) => createdAnswer(entry, status),
  }),
  row({
    method: 'GET',
    path: collection,
    status: 200,
    parameters: parametersTaken.list,
    takesFilters: true,
    toArgs: (request) => ({ ...pageArguments(request), ...included(request) }),
    resolver: restResolvers.entries,
    answer: sendPage,
  }),
  row({
    method: 'GET',
    path: `${collection}/count`,
    status: 200,
    parameters: parametersTaken.count,
    takesFilters: true,
    toArgs: (request) => ({ ...namedChannel(request), ...filters(request) }),
    resolver: restResolvers.count,
    answer: sendCount,
  }),
  keyedRow({
    method: 'POST',
    path: `${collection}/bulk`,
    status: 200,
    parameters: [],
    toArgs: (request) => ({ ...namedChannel(request), ...readBulk(request.body) }),
    operations: ({ operations }) => operations.length,
    resolver: restResolvers.bulkEntries,
    answer: (result, { status, context }) => ({ status, headers: {}, body: bulkBody(result, context.requestId) }),
  }),
  row({
    method: 'GET',
    path: member,
    status: 200,
    parameters: parametersTaken.fetch,
    toArgs: (request) => ({
      ...namedEntry(request),
      ...included(request),
      only: readList(request.query, 'only') ?? null,
    }),
    resolver: restResolvers.entry,
    answer: sendEntry,
  }),
  row({ method: 'PUT', ...update }),
  row({ method: 'PATCH', ...update }),
  row({
    method: 'DELETE',
    path: member,
    status: 204,
    parameters: [],
    toArgs: (request) => ({ ...namedEntry(request), ...precondition(request) }),
    resolver: Mutation.deleteEntry,
    answer: sendNothing,
  }),
];

/** use_acl reaches the resolvers in the context. */
function namedChannel({ parameters }: RestRequest): { channel: string; useAcl: false } {
  return { channel: parameters['channel'] ?? '', useAcl: false };
}

function namedEntry(request: RestRequest): { channel: string; id: string; useAcl: false } {
  return { ...namedChannel(request), id: request.parameters['entry'] ?? '' };
}

/** The list's arguments, read once here too: what can't be understood is refused before the site is looked at. */
function pageArguments(request: RestRequest): ListArguments {
  const { query } = request;
  const cursor = query.get('cursor');
  const args = {
    ...namedChannel(request),
    ...filters(request),
    page: readInteger(query, 'page') ?? (cursor === undefined ? 1 : null),
    first: readInteger(query, 'per_page') ?? defaultSize,
    after: cursor ?? null,
    sort: readList(query, 'sort') ?? null,
    only: readList(query, 'only') ?? null,
  };
  readPage(args);
  readSort(args.sort);
  return args;
}

interface ListArguments extends ReturnType<typeof filters> {
  readonly channel: string;
  readonly useAcl: false;
  readonly page: number | null;
  readonly first: number;
  readonly after: string | null;
  readonly sort: string[] | null;
  readonly only: string[] | null;
}

/** Which entries: every parameter that is no other one is a comparison. */
function filters({ query, filters: parameters }: RestRequest): { filter: Condition; search: string | null } {
  return { filter: parseFilterParameters(parameters, query.get('where')), search: readSearch(query.get('q'), 'q') };
}

/** The reference fields to embed. */
function included({ query }: RestRequest): { include: Include } {
  return { include: readInclude(readList(query, 'include')) };
}

function precondition({ header }: RestRequest): { ifVersion: number[] | null } {
  return { ifVersion: versionsOf(header('if-match')) ?? null };
}

/** @throws bad_request where the body is no JSON object */
function payload({ body }: RestRequest): RestPayload {
  if (!isObject(body)) fail('bad_request', 'The body is a JSON object.');
  return new RestPayload(body);
}
