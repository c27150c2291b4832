// All operations by name, for REST, GraphQL and the command line. No other file re-exports others.
import { listAudit } from './audit/list.ts';
import { listAllAudit } from './audit/listAll.ts';
import { createChannel } from './channels/create.ts';
import { deleteChannel } from './channels/delete.ts';
import { describeChannels } from './channels/describe.ts';
import { fetchChannel } from './channels/fetch.ts';
import { listChannels } from './channels/list.ts';
import { previewChannelAcl } from './channels/previewAcl.ts';
import { updateChannel } from './channels/update.ts';
import { createCustomer } from './customers/create.ts';
import { fetchCustomer } from './customers/fetch.ts';
import { listCustomers } from './customers/list.ts';
import { updateCustomer } from './customers/update.ts';
import { bulkEntries } from './entries/bulk.ts';
import { listChanges } from './changes/list.ts';
import { countEntries } from './entries/count.ts';
import { createEntry } from './entries/create.ts';
import { createEntries } from './entries/createMany.ts';
import { deleteEntry } from './entries/delete.ts';
import { explainEntryAccess } from './entries/explain.ts';
import { fetchEntry } from './entries/fetch.ts';
import { listEntries } from './entries/list.ts';
import { fetchRights } from './entries/rights.ts';
import { updateEntry } from './entries/update.ts';
import { changeMembership } from './members/change.ts';
import { listMembers } from './members/list.ts';
import { createSession } from './sessions/create.ts';
import { endSession } from './sessions/end.ts';
import { listSessions } from './sessions/list.ts';
import { revokeSession } from './sessions/revoke.ts';
import { createSite } from './sites/create.ts';
import { deleteSite } from './sites/delete.ts';
import { abandonSiteImport } from './sites/import/abandon.ts';
import { beginSiteImport } from './sites/import/begin.ts';
import { finishSiteImport } from './sites/import/finish.ts';
import { importSiteRows } from './sites/import/rows.ts';
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
import { createWebhook } from './webhooks/create.ts';
import { deleteWebhook } from './webhooks/delete.ts';
import { listDeliveries } from './webhooks/deliveries.ts';
import { fetchWebhook } from './webhooks/fetch.ts';
import { listWebhooks } from './webhooks/list.ts';
import { redeliver } from './webhooks/redeliver.ts';
import { rotateWebhookSecret } from './webhooks/rotateSecret.ts';
import { testWebhook } from './webhooks/test.ts';
import { updateWebhook } from './webhooks/update.ts';

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
