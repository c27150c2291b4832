// The descriptions of the routes of management, in the order of their rows.
import { cursorHeaders, noContent, type RouteDescription } from '../rest/description.ts';

export const channelDescriptions = {
  list: {
    id: 'listChannels',
    summary: 'Lists the channels that the caller may know of',
    answer: { status: 200, schema: 'Channel', isList: true },
  },
  create: {
    id: 'createChannel',
    summary: 'Creates a channel',
    body: 'NewChannel',
    answer: { status: 201, schema: 'Channel', headers: ['Location'] },
  },
  fetch: { id: 'fetchChannel', summary: 'Fetches a channel', answer: { status: 200, schema: 'Channel' } },
  update: {
    id: 'updateChannel',
    summary: 'Sets the settings of a channel that are sent',
    body: 'ChannelChange',
    answer: { status: 200, schema: 'Channel' },
  },
  delete: { id: 'deleteChannel', summary: 'Deletes a channel with its entries', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

export const meDescription = {
  id: 'fetchMe',
  summary: 'Tells who the token is, and what it may do',
  answer: { status: 200, schema: 'Me' },
} as const satisfies RouteDescription;

export const customerDescriptions = {
  list: {
    id: 'listCustomers',
    summary: 'Lists the customers, newest first',
    answer: { status: 200, schema: 'Customer', isList: true, headers: cursorHeaders },
  },
  create: {
    id: 'createCustomer',
    summary: 'Creates a customer',
    body: 'NewCustomer',
    answer: { status: 201, schema: 'Customer', headers: ['Location'] },
  },
  fetch: { id: 'fetchCustomer', summary: 'Fetches a customer', answer: { status: 200, schema: 'Customer' } },
  update: {
    id: 'updateCustomer',
    summary: 'Sets the members of a customer that are sent',
    body: 'CustomerChange',
    answer: { status: 200, schema: 'Customer' },
  },
} as const satisfies Record<string, RouteDescription>;

export const sessionDescriptions = {
  list: {
    id: 'listSessions',
    summary: 'Lists the newest 250 sessions of a customer',
    answer: { status: 200, schema: 'Session', isList: true },
  },
  create: {
    id: 'createSession',
    summary: 'Signs a customer in',
    body: 'NewSession',
    answer: { status: 201, schema: 'SessionWithToken' },
  },
  revoke: { id: 'revokeSession', summary: 'Revokes a session', answer: noContent },
  end: { id: 'endSession', summary: 'Ends the session that is sent', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

export const tokenDescriptions = {
  list: {
    id: 'listTokens',
    summary: 'Lists the newest 1,000 tokens of the site',
    answer: { status: 200, schema: 'Token', isList: true },
  },
  create: {
    id: 'createToken',
    summary: 'Makes a token of the site',
    body: 'NewToken',
    answer: { status: 201, schema: 'TokenWithSecret' },
  },
  revoke: { id: 'revokeToken', summary: 'Revokes a token of the site', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

export const memberDescriptions = {
  list: {
    id: 'listMembers',
    summary: 'Lists the members of the site, newest first',
    answer: { status: 200, schema: 'SiteMember', isList: true, headers: cursorHeaders },
  },
  fetch: { id: 'fetchMember', summary: 'Fetches a member', answer: { status: 200, schema: 'SiteMember' } },
  update: {
    id: 'updateMember',
    summary: 'Sets the roles of a member',
    body: 'MemberChange',
    answer: { status: 200, schema: 'SiteMember' },
  },
  remove: { id: 'removeMember', summary: 'Ends a membership', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

export const invitationDescriptions = {
  list: {
    id: 'listInvitations',
    summary: 'Lists the open invitations, newest first',
    answer: { status: 200, schema: 'Invitation', isList: true },
  },
  create: {
    id: 'inviteMember',
    summary: 'Invites whoever has an address to be a member',
    body: 'NewInvitation',
    answer: { status: 201, schema: 'InvitationWithUrl', headers: ['Location'] },
  },
  fetch: { id: 'fetchInvitation', summary: 'Fetches an invitation', answer: { status: 200, schema: 'Invitation' } },
  revoke: { id: 'revokeInvitation', summary: 'Revokes an invitation', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

export const roleDescriptions = {
  list: {
    id: 'listRoles',
    summary: 'Lists the roles of the site, the built-in ones first',
    answer: { status: 200, schema: 'Role', isList: true },
  },
  create: {
    id: 'createRole',
    summary: 'Creates a role',
    body: 'NewRole',
    answer: { status: 201, schema: 'Role', headers: ['Location'] },
  },
  fetch: { id: 'fetchRole', summary: 'Fetches a role', answer: { status: 200, schema: 'Role' } },
  update: {
    id: 'updateRole',
    summary: 'Sets the members of a role that are sent',
    body: 'RoleChange',
    answer: { status: 200, schema: 'Role' },
  },
  delete: { id: 'deleteRole', summary: 'Deletes a role: members lose it', answer: noContent },
} as const satisfies Record<string, RouteDescription>;
