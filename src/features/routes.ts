// The table of REST routes, one row for each. The operations make all decisions.
import type { PreconditionHeaders } from '../inputs/preconditions.ts';
import type { UrlListArguments } from '../inputs/lists/list.ts';
import { parametersTaken } from '../inputs/lists/listParameters.ts';
import { operations } from './operations.ts';
import {
  respondBulk,
  respondCount,
  respondCreated,
  respondFetched,
  respondNothing,
  respondPage,
  respondUpdated,
} from '../rest/respond.ts';
import { restExplanation } from './explain/serializer.ts';
import { preconditionHeaders } from '../rest/conditions.ts';
import { managedRoutes } from '../management/routes.ts';
import { changeDescriptions, entryDescriptions } from '../rest/descriptions.ts';
import { describing } from './typed/openapi/route.ts';
import { changesParameters, changesVary, readChangesArguments, respondChanges } from './changes/respond.ts';
import { respondOne } from '../management/respond.ts';
import { route, type RestRequest } from '../rest/route.ts';

const collection = '/channels/:channel/entries';
const member = `${collection}/:entry`;

const update = {
  path: member,
  parameters: [],
  hasTags: true,
  operation: operations.updateEntry,
  arguments: (request: RestRequest) => ({
    ...writeArguments(request),
    body: request.body,
    merges: request.merges,
    include: null,
  }),
  respond: respondUpdated,
};

const described = [
  route({
    method: 'POST',
    path: collection,
    parameters: [],
    description: entryDescriptions.create,
    operation: operations.createEntry,
    arguments: ({ parameters: { channel }, body }) => ({ channel, body, include: null }),
    respond: respondCreated,
  }),
  route({
    method: 'GET',
    path: collection,
    parameters: parametersTaken.list,
    takesFilters: true,
    description: entryDescriptions.list,
    operation: operations.listEntries,
    arguments: listArguments,
    respond: respondPage,
  }),
  route({
    method: 'GET',
    path: `${collection}/count`,
    parameters: parametersTaken.count,
    takesFilters: true,
    description: entryDescriptions.count,
    operation: operations.countEntries,
    arguments: listArguments,
    respond: respondCount,
  }),
  route({
    method: 'POST',
    path: `${collection}/bulk`,
    parameters: [],
    description: entryDescriptions.bulk,
    operation: operations.bulkEntries,
    arguments: ({ parameters: { channel }, body }) => ({ channel, body }),
    respond: respondBulk,
  }),
  route({
    method: 'GET',
    path: member,
    parameters: parametersTaken.fetch,
    description: entryDescriptions.fetch,
    operation: operations.fetchEntry,
    arguments: ({ parameters: { channel, entry: id }, query: { only, include = null, as, at } }) => ({
      channel,
      id,
      only,
      include,
      as,
      at,
    }),
    respond: respondFetched,
  }),
  route({
    method: 'GET',
    path: `${member}/access`,
    parameters: ['as', 'at'],
    description: entryDescriptions.explain,
    operation: operations.explainEntryAccess,
    arguments: ({ parameters: { channel, entry: id }, query: { as, at } }) => ({ channel, id, as, at }),
    respond: (explanation) => respondOne(restExplanation(explanation)),
  }),
  route({ method: 'PUT', description: entryDescriptions.put, ...update }),
  route({ method: 'PATCH', description: entryDescriptions.patch, ...update }),
  route({
    method: 'DELETE',
    path: member,
    parameters: [],
    hasTags: true,
    description: entryDescriptions.delete,
    operation: operations.deleteEntry,
    arguments: writeArguments,
    respond: respondNothing,
  }),
  route({
    method: 'GET',
    path: '/channels/:channel/changes',
    parameters: changesParameters,
    vary: changesVary,
    description: changeDescriptions.ofChannel,
    operation: operations.listChanges,
    arguments: (request) => ({ ...readChangesArguments(request), channel: request.parameters.channel }),
    respond: respondChanges,
  }),
  route({
    method: 'GET',
    path: '/changes',
    parameters: changesParameters,
    vary: changesVary,
    description: changeDescriptions.ofSite,
    operation: operations.listChanges,
    arguments: readChangesArguments,
    respond: respondChanges,
  }),
  ...managedRoutes,
];

/** The table. A path is listed before more general ones that would match it, too. */
export const routes = [...described, describing(described)];

function writeArguments({
  parameters: { channel, entry: id },
  headers,
}: RestRequest): { channel: string; id: string } & PreconditionHeaders {
  return { channel, id, ...preconditionHeaders(headers) };
}

function listArguments({ parameters: { channel }, query, filters }: RestRequest): UrlListArguments {
  const { as, at } = query;
  return { channel, query, filters, as, at };
}
