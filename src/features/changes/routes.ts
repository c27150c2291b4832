// The rows of the route table for changes (docs/contract.md §9). The operation is that of GraphQL.
import type { RouteDescription } from '../../rest/description.ts';
import { route } from '../../rest/route.ts';
import { listChanges } from './list.ts';
import { changesParameters, changesVary, readChangesArguments, respondChanges } from './respond.ts';

const described = {
  headers: ['Prefer', 'Last-Event-ID'],
  answer: { status: 200, schema: 'ChangePage', streams: true, headers: ['Preference-Applied'] },
  include: ['entry'],
  // The cursor is older than the oldest change that is kept.
  refusals: [410],
} as const satisfies Partial<RouteDescription>;

const changeDescriptions = {
  ofChannel: {
    id: 'listChannelChanges',
    summary: 'Lists the changes of a channel and its entries, oldest first',
    ...described,
  },
  ofSite: { id: 'listChanges', summary: 'Lists the changes of the site, oldest first', ...described },
} as const satisfies Record<string, RouteDescription>;

export const changeRoutes = [
  route({
    method: 'GET',
    path: '/channels/:channel/changes',
    parameters: changesParameters,
    vary: changesVary,
    description: changeDescriptions.ofChannel,
    operation: listChanges,
    arguments: (request) => ({ ...readChangesArguments(request), channel: request.parameters.channel }),
    respond: respondChanges,
  }),
  route({
    method: 'GET',
    path: '/changes',
    parameters: changesParameters,
    vary: changesVary,
    description: changeDescriptions.ofSite,
    operation: listChanges,
    arguments: readChangesArguments,
    respond: respondChanges,
  }),
];
