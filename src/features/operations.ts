// All operations by name, for REST, GraphQL and the command line. No other file re-exports others.
import { listAudit } from './audit/list.ts';
import { listAllAudit } from './audit/listAll.ts';
import { createChannel } from '../management/channels/create.ts';
import { deleteChannel } from '../management/channels/delete.ts';
import { describeChannels } from '../management/channels/describe.ts';
import { fetchChannel } from '../management/channels/fetch.ts';
import { listChannels } from '../management/channels/list.ts';
import { previewChannelAcl } from './explain/previewAcl.ts';
import { updateChannel } from '../management/channels/update.ts';
import { createCustomer } from '../management/customers/create.ts';
import { fetchCustomer } from '../management/customers/fetch.ts';
import { listCustomers } from '../management/customers/list.ts';
import { updateCustomer } from '../management/customers/update.ts';
import { bulkEntries } from '../resolvers/entries/bulk.ts';
import { listChanges } from './changes/list.ts';
import { countEntries } from '../resolvers/entries/count.ts';
import { createEntry } from '../resolvers/entries/create.ts';
import { createEntries } from '../resolvers/entries/createMany.ts';
import { deleteEntry } from '../resolvers/entries/delete.ts';
import { explainEntryAccess } from './explain/explain.ts';
import { fetchEntry } from '../resolvers/entries/fetch.ts';
import { listEntries } from '../resolvers/entries/list.ts';
import { fetchRights } from './explain/rights.ts';
import { updateEntry } from '../resolvers/entries/update.ts';
import { changeMembership } from '../management/members/change.ts';
import { listMembers } from '../management/members/list.ts';
import { createSession } from '../management/sessions/create.ts';
import { endSession } from '../management/sessions/end.ts';
import { listSessions } from '../management/sessions/list.ts';
import { revokeSession } from '../management/sessions/revoke.ts';
import { createSite } from '../management/sites/create.ts';
import { deleteSite } from '../management/sites/delete.ts';
import { abandonSiteImport } from './moving/import/abandon.ts';
import { beginSiteImport } from './moving/import/begin.ts';
import { finishSiteImport } from './moving/import/finish.ts';
import { importSiteRows } from './moving/import/rows.ts';
import { listSites } from '../management/sites/list.ts';
import { showSite } from '../management/sites/show.ts';
import { createToken } from '../management/tokens/create.ts';
import { createUserToken } from '../management/tokens/createForUser.ts';
import { listTokens } from '../management/tokens/list.ts';
import { listAllTokens } from '../management/tokens/listAll.ts';
import { revokeToken } from '../management/tokens/revoke.ts';
import { revokeAnyToken } from '../management/tokens/revokeAny.ts';
import { rotateToken } from '../management/tokens/rotate.ts';
import { createUser } from '../management/users/create.ts';
import { deleteUser } from '../management/users/delete.ts';
import { listUsers } from '../management/users/list.ts';
import { createWebhook } from './webhooks/operations/create.ts';
import { deleteWebhook } from './webhooks/operations/delete.ts';
import { listDeliveries } from './webhooks/operations/deliveries.ts';
import { fetchWebhook } from './webhooks/operations/fetch.ts';
import { listWebhooks } from './webhooks/operations/list.ts';
import { redeliver } from './webhooks/operations/redeliver.ts';
import { rotateWebhookSecret } from './webhooks/operations/rotateSecret.ts';
import { testWebhook } from './webhooks/operations/test.ts';
import { updateWebhook } from './webhooks/operations/update.ts';

export const operations = {
  ...{ fetchEntry, listEntries, countEntries, createEntry, createEntries, updateEntry, deleteEntry, bulkEntries },
  ...{ explainEntryAccess, previewChannelAcl, fetchRights },
  ...{ fetchChannel, listChannels, describeChannels, createChannel, updateChannel, deleteChannel },
  ...{ fetchCustomer, listCustomers, createCustomer, updateCustomer },
  listChanges,
  ...{ listSessions, createSession, revokeSession, endSession },
  ...{ listTokens, createToken, revokeToken, createUserToken, listAllTokens, revokeAnyToken, rotateToken },
  ...{ fetchWebhook, listWebhooks, createWebhook, updateWebhook, deleteWebhook, rotateWebhookSecret, testWebhook },
  ...{ listDeliveries, redeliver },
  ...{ listAudit, listAllAudit },
  ...{ createSite, listSites, showSite, deleteSite },
  ...{ beginSiteImport, importSiteRows, finishSiteImport, abandonSiteImport },
  ...{ createUser, listUsers, deleteUser, changeMembership, listMembers },
};
