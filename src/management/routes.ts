// The rows of the route table for management (docs/contract.md §12.3). The operations are those of GraphQL.
import { readInteger } from '../inputs/lists/list.ts';
import { readBody } from '../inputs/sent.ts';
import { restChannel } from '../serializers/channel.ts';
import { restCustomer } from './customers/serializer.ts';
import { restSession } from './sessions/serializer.ts';
import { restToken } from './tokens/serializer.ts';
import { channelDescriptions, customerDescriptions, sessionDescriptions, tokenDescriptions } from './descriptions.ts';
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
import { createChannel } from './channels/create.ts';
import { deleteChannel } from './channels/delete.ts';
import { fetchChannel } from './channels/fetch.ts';
import { listChannels } from './channels/list.ts';
import { updateChannel } from './channels/update.ts';
import { createCustomer } from './customers/create.ts';
import { fetchCustomer } from './customers/fetch.ts';
import { listCustomers } from './customers/list.ts';
import { updateCustomer } from './customers/update.ts';
import { peopleRoutes } from './peopleRoutes.ts';
import { createSession } from './sessions/create.ts';
import { endSession } from './sessions/end.ts';
import { listSessions } from './sessions/list.ts';
import { revokeSession } from './sessions/revoke.ts';
import { createToken } from './tokens/create.ts';
import { listTokens } from './tokens/list.ts';
import { revokeToken } from './tokens/revoke.ts';

const channels = [
  route({
    method: 'GET',
    path: '/channels',
    parameters: [],
    description: channelDescriptions.list,
    operation: listChannels,
    arguments: () => ({}),
    respond: respondChannels,
  }),
  route({
    method: 'POST',
    path: '/channels',
    parameters: [],
    description: channelDescriptions.create,
    operation: createChannel,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: respondNewChannel,
  }),
  route({
    method: 'GET',
    path: '/channels/:channel',
    parameters: [],
    description: channelDescriptions.fetch,
    operation: fetchChannel,
    arguments: ({ parameters: { channel: id } }) => ({ id }),
    respond: async (channel) => respondOne(await restChannel(channel)),
  }),
  route({
    method: 'PATCH',
    path: '/channels/:channel',
    parameters: ['confirm'],
    description: channelDescriptions.update,
    operation: updateChannel,
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
    operation: deleteChannel,
    arguments: ({ parameters: { channel: id }, query: { confirm = '' } }) => ({ id, confirm }),
    respond: respondNothing,
  }),
];

const customers = [
  route({
    method: 'GET',
    path: '/customers',
    parameters: ['per_page', 'cursor', 'name', 'email'],
    description: customerDescriptions.list,
    operation: listCustomers,
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
    operation: createCustomer,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: respondNewCustomer,
  }),
  route({
    method: 'GET',
    path: '/customers/:customer',
    parameters: [],
    description: customerDescriptions.fetch,
    operation: fetchCustomer,
    arguments: ({ parameters: { customer: id } }) => ({ id }),
    respond: (customer) => respondOne(restCustomer(customer)),
  }),
  route({
    method: 'PATCH',
    path: '/customers/:customer',
    parameters: [],
    description: customerDescriptions.update,
    operation: updateCustomer,
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
    operation: listSessions,
    arguments: ({ parameters: { customer } }) => ({ customer }),
    respond: (list, exchange) => respondList(list, restSession, exchange),
  }),
  route({
    method: 'POST',
    path: '/customers/:customer/sessions',
    parameters: [],
    bodyIsOptional: true,
    description: sessionDescriptions.create,
    operation: createSession,
    arguments: ({ parameters: { customer }, body = {} }) => ({ customer, body: readBody(body) }),
    respond: (session, exchange) => respondNew(restSession(session), exchange),
  }),
  route({
    method: 'DELETE',
    path: '/sessions/:session',
    parameters: [],
    description: sessionDescriptions.revoke,
    operation: revokeSession,
    arguments: ({ parameters: { session: id } }) => ({ id }),
    respond: respondNothing,
  }),
  route({
    method: 'DELETE',
    path: '/session',
    parameters: [],
    description: sessionDescriptions.end,
    operation: endSession,
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
    operation: listTokens,
    arguments: () => ({}),
    respond: (list, exchange) => respondList(list, restToken, exchange),
  }),
  route({
    method: 'POST',
    path: '/tokens',
    parameters: [],
    description: tokenDescriptions.create,
    operation: createToken,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: (token, exchange) => respondNew(restToken(token), exchange),
  }),
  route({
    method: 'DELETE',
    path: '/tokens/:token',
    parameters: [],
    description: tokenDescriptions.revoke,
    operation: revokeToken,
    arguments: ({ parameters: { token: id } }) => ({ id }),
    respond: respondNothing,
  }),
];

/** The rows, each path with all of its methods. */
export const managementRoutes = [...peopleRoutes, ...channels, ...customers, ...sessions, ...tokens];
