// The rows of the route table for management (docs/contract.md §12.3). The operations are those of GraphQL.
import { readInteger } from '../inputs/lists/list.ts';
import { readBody } from '../inputs/sent.ts';
import { operations } from '../features/operations.ts';
import { restChannel } from '../serializers/channel.ts';
import { restCustomer } from './customers/serializer.ts';
import { restAclPreview, restRights } from '../features/explain/serializer.ts';
import { restSession } from './sessions/serializer.ts';
import { restToken } from './tokens/serializer.ts';
import {
  channelDescriptions,
  customerDescriptions,
  sessionDescriptions,
  tokenDescriptions,
} from '../rest/descriptions.ts';
import { respondNothing } from '../rest/respond.ts';
import {
  respondChannels,
  respondCustomers,
  respondList,
  respondNew,
  respondNewChannel,
  respondNewCustomer,
  respondOne,
} from './respond.ts';
import { route } from '../rest/route.ts';
import { auditRoutes } from '../features/audit/routes.ts';
import { webhookRoutes } from '../features/webhooks/routes.ts';

const channels = [
  route({
    method: 'GET',
    path: '/channels',
    parameters: [],
    description: channelDescriptions.list,
    operation: operations.listChannels,
    arguments: () => ({}),
    respond: respondChannels,
  }),
  route({
    method: 'POST',
    path: '/channels',
    parameters: [],
    description: channelDescriptions.create,
    operation: operations.createChannel,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: respondNewChannel,
  }),
  route({
    method: 'GET',
    path: '/channels/:channel',
    parameters: [],
    description: channelDescriptions.fetch,
    operation: operations.fetchChannel,
    arguments: ({ parameters: { channel: id } }) => ({ id }),
    respond: async (channel) => respondOne(await restChannel(channel)),
  }),
  route({
    method: 'PATCH',
    path: '/channels/:channel',
    parameters: ['confirm'],
    description: channelDescriptions.update,
    operation: operations.updateChannel,
    arguments: ({ parameters: { channel: id }, query: { confirm = null }, body, merges }) => ({
      id,
      confirm,
      body: readBody(body),
      merges,
    }),
    respond: async (channel) => respondOne(await restChannel(channel)),
  }),
  route({
    method: 'DELETE',
    path: '/channels/:channel',
    parameters: ['confirm'],
    description: channelDescriptions.delete,
    operation: operations.deleteChannel,
    arguments: ({ parameters: { channel: id }, query: { confirm = '' } }) => ({ id, confirm }),
    respond: respondNothing,
  }),
  route({
    method: 'GET',
    path: '/channels/:channel/acl-preview',
    parameters: ['create', 'read', 'update', 'delete', 'publishable'],
    description: channelDescriptions.previewAcl,
    operation: operations.previewChannelAcl,
    arguments: ({ parameters: { channel }, query: { publishable, ...acl } }) => ({ channel, acl, publishable }),
    respond: (preview) => respondOne(restAclPreview(preview)),
  }),
  route({
    method: 'GET',
    path: '/channels/:channel/rights',
    parameters: ['entry'],
    description: channelDescriptions.rights,
    operation: operations.fetchRights,
    arguments: ({ parameters: { channel }, query: { entry: id } }) => ({ channel, id }),
    respond: (rights) => respondOne(restRights(rights)),
  }),
];

const customers = [
  route({
    method: 'GET',
    path: '/customers',
    parameters: ['per_page', 'cursor', 'name', 'email'],
    description: customerDescriptions.list,
    operation: operations.listCustomers,
    arguments: ({ query: { per_page: size, cursor = null, name = null, email = null } }) => ({
      first: readInteger(size, 'per_page') ?? null,
      after: cursor,
      name,
      email,
    }),
    respond: respondCustomers,
  }),
  route({
    method: 'POST',
    path: '/customers',
    parameters: [],
    description: customerDescriptions.create,
    operation: operations.createCustomer,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: respondNewCustomer,
  }),
  route({
    method: 'GET',
    path: '/customers/:customer',
    parameters: [],
    description: customerDescriptions.fetch,
    operation: operations.fetchCustomer,
    arguments: ({ parameters: { customer: id } }) => ({ id }),
    respond: (customer) => respondOne(restCustomer(customer)),
  }),
  route({
    method: 'PATCH',
    path: '/customers/:customer',
    parameters: [],
    description: customerDescriptions.update,
    operation: operations.updateCustomer,
    arguments: ({ parameters: { customer: id }, body }) => ({ id, body: readBody(body) }),
    respond: (customer) => respondOne(restCustomer(customer)),
  }),
];

const sessions = [
  route({
    method: 'GET',
    path: '/customers/:customer/sessions',
    parameters: [],
    description: sessionDescriptions.list,
    operation: operations.listSessions,
    arguments: ({ parameters: { customer } }) => ({ customer }),
    respond: (list, exchange) => respondList(list, restSession, exchange),
  }),
  route({
    method: 'POST',
    path: '/customers/:customer/sessions',
    parameters: [],
    bodyIsOptional: true,
    description: sessionDescriptions.create,
    operation: operations.createSession,
    arguments: ({ parameters: { customer }, body = {} }) => ({ customer, body: readBody(body) }),
    respond: (session, exchange) => respondNew(restSession(session), exchange),
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:session',
    parameters: [],
    description: sessionDescriptions.revoke,
    operation: operations.revokeSession,
    arguments: ({ parameters: { session: id } }) => ({ id }),
    respond: respondNothing,
  }),
  route({
    method: 'DELETE',
    path: '/session',
    parameters: [],
    description: sessionDescriptions.end,
    operation: operations.endSession,
    arguments: () => ({}),
    respond: respondNothing,
  }),
];

const tokens = [
  route({
    method: 'GET',
    path: '/tokens',
    parameters: [],
    description: tokenDescriptions.list,
    operation: operations.listTokens,
    arguments: () => ({}),
    respond: (list, exchange) => respondList(list, restToken, exchange),
  }),
  route({
    method: 'POST',
    path: '/tokens',
    parameters: [],
    description: tokenDescriptions.create,
    operation: operations.createToken,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: (token, exchange) => respondNew(restToken(token), exchange),
  }),
  route({
    method: 'DELETE',
    path: '/tokens/:token',
    parameters: [],
    description: tokenDescriptions.revoke,
    operation: operations.revokeToken,
    arguments: ({ parameters: { token: id } }) => ({ id }),
    respond: respondNothing,
  }),
];

/** The rows, each path with all of its methods. */
export const managedRoutes = [...channels, ...customers, ...sessions, ...tokens, ...webhookRoutes, ...auditRoutes];
