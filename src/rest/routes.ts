// The REST door: each route a row of the table. Nothing is decided here.
import type { VersionArguments } from '../inputs/ifMatch.ts';
import { parametersTaken } from '../inputs/listParameters.ts';
import type { UrlListArguments } from '../inputs/list.ts';
import { operations } from '../resolvers/index.ts';
import {
  respondBulk,
  respondCount,
  respondCreated,
  respondFetched,
  respondNothing,
  respondPage,
  respondUpdated,
} from './respond.ts';
import { route, type RestRequest } from './route.ts';

const collection = '/channels/:channel/entries';
const member = `${collection}/:entry`;

const update = {
  path: member,
  parameters: [],
  operation: operations.updateEntry,
  arguments: (request: RestRequest) => ({
    ...named(request),
    ...precondition(request),
    body: request.body,
    include: null,
  }),
  respond: respondUpdated,
};

/** The table. Paths are listed before those that would match them too. */
export const routes = [
  route({
    method: 'POST',
    path: collection,
    parameters: [],
    isKeyed: true,
    operation: operations.createEntry,
    arguments: (request) => ({ ...ofChannel(request), body: request.body, include: null }),
    respond: respondCreated,
  }),
  route({
    method: 'GET',
    path: collection,
    parameters: parametersTaken.list,
    takesFilters: true,
    operation: operations.listEntries,
    arguments: listed,
    respond: respondPage,
  }),
  route({
    method: 'GET',
    path: `${collection}/count`,
    parameters: parametersTaken.count,
    takesFilters: true,
    operation: operations.countEntries,
    arguments: listed,
    respond: respondCount,
  }),
  route({
    method: 'POST',
    path: `${collection}/bulk`,
    parameters: [],
    isKeyed: true,
    operation: operations.bulkEntries,
    arguments: (request) => ({ ...ofChannel(request), body: request.body }),
    respond: respondBulk,
  }),
  route({
    method: 'GET',
    path: member,
    parameters: parametersTaken.fetch,
    operation: operations.fetchEntry,
    arguments: (request) => ({
      ...named(request),
      only: request.query.only,
      include: request.query.include ?? null,
    }),
    respond: respondFetched,
  }),
  route({ method: 'PUT', ...update }),
  route({ method: 'PATCH', ...update }),
  route({
    method: 'DELETE',
    path: member,
    parameters: [],
    operation: operations.deleteEntry,
    arguments: (request) => ({ ...named(request), ...precondition(request) }),
    respond: respondNothing,
  }),
];

function ofChannel({ parameters }: RestRequest): { channel: string } {
  return { channel: parameters['channel'] ?? '' };
}

function named(request: RestRequest): { channel: string; id: string } {
  return { ...ofChannel(request), id: request.parameters['entry'] ?? '' };
}

function precondition({ header }: RestRequest): VersionArguments {
  return { ifMatch: header('if-match') };
}

function listed(request: RestRequest): UrlListArguments {
  return { ...ofChannel(request), query: request.query, filters: request.filters };
}
