// The rows of the route table for entries. The operations make all decisions.
import type { PreconditionHeaders } from '../inputs/preconditions.ts';
import type { UrlListArguments } from '../inputs/lists/list.ts';
import { parametersTaken } from '../inputs/lists/listParameters.ts';
import { bulkEntries } from '../resolvers/entries/bulk.ts';
import { countEntries } from '../resolvers/entries/count.ts';
import { createEntry } from '../resolvers/entries/create.ts';
import { deleteEntry } from '../resolvers/entries/delete.ts';
import { fetchEntry } from '../resolvers/entries/fetch.ts';
import { listEntries } from '../resolvers/entries/list.ts';
import { publishEntry, unpublishEntry } from '../resolvers/entries/publish.ts';
import { updateEntry } from '../resolvers/entries/update.ts';
import { preconditionHeaders } from './conditions.ts';
import { entryDescriptions } from './entryDescriptions.ts';
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
  hasTags: true,
  operation: updateEntry,
  arguments: (request: RestRequest) => ({
    ...writeArguments(request),
    body: request.body,
    merges: request.merges,
    include: null,
  }),
  respond: respondUpdated,
};

const publication = {
  method: 'POST' as const,
  parameters: [],
  hasTags: true,
  bodyIsOptional: true,
  arguments: (request: RestRequest) => ({ ...writeArguments(request), body: request.body, include: null }),
  respond: respondUpdated,
};

/** The rows. A path is listed before more general ones that would match it, too. */
export const entryRoutes = [
  route({
    method: 'POST',
    path: collection,
    parameters: [],
    description: entryDescriptions.create,
    operation: createEntry,
    arguments: ({ parameters: { channel }, body }) => ({ channel, body, include: null }),
    respond: respondCreated,
  }),
  route({
    method: 'GET',
    path: collection,
    parameters: parametersTaken.list,
    takesFilters: true,
    description: entryDescriptions.list,
    operation: listEntries,
    arguments: listArguments,
    respond: respondPage,
  }),
  route({
    method: 'GET',
    path: `${collection}/count`,
    parameters: parametersTaken.count,
    takesFilters: true,
    description: entryDescriptions.count,
    operation: countEntries,
    arguments: listArguments,
    respond: respondCount,
  }),
  route({
    method: 'POST',
    path: `${collection}/bulk`,
    parameters: [],
    description: entryDescriptions.bulk,
    operation: bulkEntries,
    arguments: ({ parameters: { channel }, body }) => ({ channel, body }),
    respond: respondBulk,
  }),
  route({
    method: 'GET',
    path: member,
    parameters: parametersTaken.fetch,
    description: entryDescriptions.fetch,
    operation: fetchEntry,
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
  route({ method: 'PUT', description: entryDescriptions.put, ...update }),
  route({ method: 'PATCH', description: entryDescriptions.patch, ...update }),
  route({
    path: `${member}/publish`,
    description: entryDescriptions.publish,
    operation: publishEntry,
    ...publication,
  }),
  route({
    path: `${member}/unpublish`,
    description: entryDescriptions.unpublish,
    operation: unpublishEntry,
    ...publication,
  }),
  route({
    method: 'DELETE',
    path: member,
    parameters: [],
    hasTags: true,
    description: entryDescriptions.delete,
    operation: deleteEntry,
    arguments: writeArguments,
    respond: respondNothing,
  }),
];

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
