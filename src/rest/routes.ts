// The REST door: each route a row, which says how a request becomes the arguments of a resolver, and its result an
// answer. Nothing is decided here.
import { fail } from '../errors.ts';
import { isObject } from '../inputs/json.ts';
import { defaultSize, readPage } from '../inputs/page.ts';
import { RestPayload } from '../inputs/payload.ts';
import { readSort } from '../inputs/sort.ts';
import { resolvers, restResolvers } from '../resolvers/index.ts';
import { createdAnswer, sendCount, sendEntry, sendNothing, sendPage } from './answers.ts';
import { bulkBody, readBulk } from './bulk.ts';
import { versionsOf } from './entityTag.ts';
import { row, type RestRequest } from './handler.ts';
import { keyedRow } from './keyed.ts';
import { readInteger, readList } from '../http/query.ts';

const { Query, Mutation } = resolvers;
const collection = '/channels/:channel/entries';
const member = `${collection}/:entry`;

const update = {
  path: member,
  status: 200,
  parameters: [],
  toArgs: (request: RestRequest) => ({ ...namedEntry(request), ...precondition(request), input: payload(request) }),
  resolver: Mutation.updateEntry,
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
    resolver: Mutation.createEntry,
    answer: (entry, { status }) => createdAnswer(entry, status),
  }),
  row({
    method: 'GET',
    path: collection,
    status: 200,
    parameters: ['page', 'per_page', 'sort'],
    toArgs: pageArguments,
    resolver: Query.entries,
    answer: sendPage,
  }),
  row({
    method: 'GET',
    path: `${collection}/count`,
    status: 200,
    parameters: [],
    toArgs: namedChannel,
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
    resolver: Mutation.bulkEntries,
    answer: (result, { status, context }) => ({ status, headers: {}, body: bulkBody(result, context.requestId) }),
  }),
  row({
    method: 'GET',
    path: member,
    status: 200,
    parameters: [],
    toArgs: namedEntry,
    resolver: Query.entry,
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
function pageArguments(request: RestRequest): PageOf & { channel: string; useAcl: false } {
  const args = {
    ...namedChannel(request),
    page: readInteger(request.query, 'page') ?? 1,
    first: readInteger(request.query, 'per_page') ?? defaultSize,
    sort: readList(request.query, 'sort') ?? null,
  };
  readPage(args);
  readSort(args.sort, true);
  return args;
}

interface PageOf {
  readonly page: number;
  readonly first: number;
  readonly sort: string[] | null;
}

function precondition({ header }: RestRequest): { ifVersion: number[] | null } {
  return { ifVersion: versionsOf(header('if-match')) ?? null };
}

/** @throws bad_request where the body is no JSON object */
function payload({ body }: RestRequest): RestPayload {
  if (!isObject(body)) fail('bad_request', 'The body is a JSON object.');
  return new RestPayload(body);
}
