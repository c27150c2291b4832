// Management: channels, customers, sessions, tokens, users, members and sites.
import { countBytes, showObject } from '../graphql/entryFields.ts';
import { field, findingField } from '../graphql/fields.ts';
import type { Feature } from '../features/feature.ts';
import { createChannel } from './channels/create.ts';
import { deleteChannel } from './channels/delete.ts';
import { describeChannels } from './channels/describe.ts';
import { fetchChannel } from './channels/fetch.ts';
import { listChannels } from './channels/list.ts';
import { updateChannel } from './channels/update.ts';
import { createCustomer } from './customers/create.ts';
import { fetchCustomer } from './customers/fetch.ts';
import { listCustomers } from './customers/list.ts';
import { updateCustomer } from './customers/update.ts';
import { inviteMember } from './invitations/create.ts';
import { fetchInvitation } from './invitations/fetch.ts';
import { listInvitations } from './invitations/list.ts';
import { revokeInvitation } from './invitations/revoke.ts';
import { invitationSweeps } from './invitations/sweeps.ts';
import { fetchMe } from './me/fetch.ts';
import { changeMembership } from './members/change.ts';
import { fetchMember } from './members/fetch.ts';
import { listMembers } from './members/list.ts';
import { listMemberships } from './members/listMemberships.ts';
import { removeMember } from './members/remove.ts';
import { updateMember } from './members/update.ts';
import { managementRoutes } from './routes.ts';
import { createRole } from './roles/create.ts';
import { deleteRole } from './roles/delete.ts';
import { deleteNamedRole } from './roles/deleteNamed.ts';
import { fetchRole } from './roles/fetch.ts';
import { listRoles } from './roles/list.ts';
import { setRole } from './roles/set.ts';
import { updateRole } from './roles/update.ts';
import { createSession } from './sessions/create.ts';
import { endSession } from './sessions/end.ts';
import { listSessions } from './sessions/list.ts';
import { revokeSession } from './sessions/revoke.ts';
import { createSite } from './sites/create.ts';
import { deleteSite } from './sites/delete.ts';
import { listSites } from './sites/list.ts';
import { showSite } from './sites/show.ts';
import { createToken } from './tokens/create.ts';
import { createUserToken } from './tokens/createForUser.ts';
import { listTokens } from './tokens/list.ts';
import { listAllTokens } from './tokens/listAll.ts';
import { revokeToken } from './tokens/revoke.ts';
import { revokeAnyToken } from './tokens/revokeAny.ts';
import { rotateToken } from './tokens/rotate.ts';
import { createUser } from './users/create.ts';
import { deleteUser } from './users/delete.ts';
import { listUsers } from './users/list.ts';

export const management = {
  name: 'management',
  operations: {
    fetchMe,
    fetchChannel,
    listChannels,
    describeChannels,
    createChannel,
    updateChannel,
    deleteChannel,
    fetchCustomer,
    listCustomers,
    createCustomer,
    updateCustomer,
    listSessions,
    createSession,
    revokeSession,
    endSession,
    listTokens,
    createToken,
    revokeToken,
    createUserToken,
    listAllTokens,
    revokeAnyToken,
    rotateToken,
    createSite,
    listSites,
    showSite,
    deleteSite,
    createUser,
    listUsers,
    deleteUser,
    changeMembership,
    listMemberships,
    listMembers,
    fetchMember,
    updateMember,
    removeMember,
    listInvitations,
    fetchInvitation,
    inviteMember,
    revokeInvitation,
    listRoles,
    fetchRole,
    createRole,
    updateRole,
    deleteRole,
    setRole,
    deleteNamedRole,
  },
  routes: managementRoutes,
  graphql: {
    Query: {
      me: field(fetchMe),
      channel: findingField(fetchChannel),
      channels: field(listChannels),
      customer: findingField(fetchCustomer),
      customers: field(listCustomers),
      sessions: field(listSessions),
      tokens: field(listTokens),
      members: field(listMembers),
      roles: field(listRoles),
      invitations: field(listInvitations),
    },
    Mutation: {
      createChannel: field(createChannel),
      updateChannel: field(updateChannel),
      deleteChannel: field(deleteChannel),
      createCustomer: field(createCustomer),
      updateCustomer: field(updateCustomer),
      createSession: field(createSession),
      revokeSession: field(revokeSession),
      createToken: field(createToken),
      revokeToken: field(revokeToken),
      updateMember: field(updateMember),
      removeMember: field(removeMember),
      inviteMember: field(inviteMember),
      revokeInvitation: field(revokeInvitation),
      createRole: field(createRole),
      updateRole: field(updateRole),
      deleteRole: field(deleteRole),
    },
    Field: {
      readable: ({ readable }) => readable ?? true,
      writable: ({ writable }) => writable ?? true,
    },
    Channel: {
      fields: async ({ details }, _args, { admission: { budget } }) => {
        const { fields } = await details();
        budget.takeAnswer(countBytes(fields));
        return [...fields];
      },
      layout: async ({ details }, _args, { admission: { budget } }) => {
        const { layout } = await details();
        return showObject(layout, budget);
      },
      description: async ({ details }, _args, { admission: { budget } }) => {
        const { description } = await details();
        if (description !== null) budget.takeAnswer(Buffer.byteLength(description));
        return description;
      },
    },
  },
  tables: ['Site', 'Channel', 'Customer', 'Session', 'Token', 'User', 'Membership', 'Role', 'Invitation'],
  sweeps: invitationSweeps,
} satisfies Feature;
