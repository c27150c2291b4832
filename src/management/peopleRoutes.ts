// The rows of the route table for the people who work on a site: who the token is, members, invitations and roles (docs/contract.md §14.2).
import { readInteger } from '../inputs/lists/list.ts';
import { readBody } from '../inputs/sent.ts';
import { respondNothing } from '../rest/respond.ts';
import { route } from '../rest/route.ts';
import { invitationDescriptions, meDescription, memberDescriptions, roleDescriptions } from './descriptions.ts';
import { inviteMember } from './invitations/create.ts';
import { fetchInvitation } from './invitations/fetch.ts';
import { listInvitations } from './invitations/list.ts';
import { revokeInvitation } from './invitations/revoke.ts';
import { restInvitation } from './invitations/serializer.ts';
import { fetchMe } from './me/fetch.ts';
import { restMe } from './me/serializer.ts';
import { fetchMember } from './members/fetch.ts';
import { listMembers } from './members/list.ts';
import { removeMember } from './members/remove.ts';
import { restMember } from './members/serializer.ts';
import { updateMember } from './members/update.ts';
import { respondList, respondMembers, respondNew, respondNewRole, respondOne } from './respond.ts';
import { createRole } from './roles/create.ts';
import { deleteRole } from './roles/delete.ts';
import { fetchRole } from './roles/fetch.ts';
import { listRoles } from './roles/list.ts';
import { restRole } from './roles/serializer.ts';
import { updateRole } from './roles/update.ts';

const me = [
  route({
    method: 'GET',
    path: '/me',
    parameters: [],
    siteIsOptional: true,
    description: meDescription,
    operation: fetchMe,
    arguments: () => ({}),
    respond: (who) => respondOne(restMe(who)),
  }),
];

const members = [
  route({
    method: 'GET',
    path: '/members',
    parameters: ['per_page', 'cursor'],
    description: memberDescriptions.list,
    operation: listMembers,
    arguments: ({ query: { per_page: size, cursor = null } }) => ({
      first: readInteger(size, 'per_page') ?? null,
      after: cursor,
    }),
    respond: respondMembers,
  }),
  route({
    method: 'GET',
    path: '/members/:user',
    parameters: [],
    description: memberDescriptions.fetch,
    operation: fetchMember,
    arguments: ({ parameters: { user } }) => ({ user }),
    respond: (member) => respondOne(restMember(member)),
  }),
  route({
    method: 'PATCH',
    path: '/members/:user',
    parameters: [],
    description: memberDescriptions.update,
    operation: updateMember,
    arguments: ({ parameters: { user }, body }) => ({ user, body: readBody(body) }),
    respond: (member) => respondOne(restMember(member)),
  }),
  route({
    method: 'DELETE',
    path: '/members/:user',
    parameters: [],
    description: memberDescriptions.remove,
    operation: removeMember,
    arguments: ({ parameters: { user } }) => ({ user }),
    respond: respondNothing,
  }),
];

const invitations = [
  route({
    method: 'GET',
    path: '/invitations',
    parameters: [],
    description: invitationDescriptions.list,
    operation: listInvitations,
    arguments: () => ({}),
    respond: (list, exchange) => respondList(list, restInvitation, exchange),
  }),
  route({
    method: 'POST',
    path: '/invitations',
    parameters: [],
    description: invitationDescriptions.create,
    operation: inviteMember,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: (invitation, exchange) => respondNew(restInvitation(invitation), exchange, 'invitations', invitation.id),
  }),
  route({
    method: 'GET',
    path: '/invitations/:invitation',
    parameters: [],
    description: invitationDescriptions.fetch,
    operation: fetchInvitation,
    arguments: ({ parameters: { invitation: id } }) => ({ id }),
    respond: (invitation) => respondOne(restInvitation(invitation)),
  }),
  route({
    method: 'DELETE',
    path: '/invitations/:invitation',
    parameters: [],
    description: invitationDescriptions.revoke,
    operation: revokeInvitation,
    arguments: ({ parameters: { invitation: id } }) => ({ id }),
    respond: respondNothing,
  }),
];

const roles = [
  route({
    method: 'GET',
    path: '/roles',
    parameters: [],
    description: roleDescriptions.list,
    operation: listRoles,
    arguments: () => ({}),
    respond: (list, exchange) => respondList(list, restRole, exchange),
  }),
  route({
    method: 'POST',
    path: '/roles',
    parameters: [],
    description: roleDescriptions.create,
    operation: createRole,
    arguments: ({ body }) => ({ body: readBody(body) }),
    respond: respondNewRole,
  }),
  route({
    method: 'GET',
    path: '/roles/:role',
    parameters: [],
    description: roleDescriptions.fetch,
    operation: fetchRole,
    arguments: ({ parameters: { role: id } }) => ({ id }),
    respond: (role) => respondOne(restRole(role)),
  }),
  route({
    method: 'PATCH',
    path: '/roles/:role',
    parameters: [],
    description: roleDescriptions.update,
    operation: updateRole,
    arguments: ({ parameters: { role: id }, body }) => ({ id, body: readBody(body) }),
    respond: (role) => respondOne(restRole(role)),
  }),
  route({
    method: 'DELETE',
    path: '/roles/:role',
    parameters: ['confirm'],
    description: roleDescriptions.delete,
    operation: deleteRole,
    arguments: ({ parameters: { role: id }, query: { confirm = '' } }) => ({ id, confirm }),
    respond: respondNothing,
  }),
];

/** The rows, each path with all of its methods. */
export const peopleRoutes = [...me, ...members, ...invitations, ...roles];
