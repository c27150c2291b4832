// The descriptions of the routes of entries and of management, in the order of their rows.
import type { ResponseHeaderName, RouteDescription } from './description.ts';

const cursorHeaders: readonly ResponseHeaderName[] = ['Link', 'X-Per-Page', 'X-Next-Cursor'];
const pagingHeaders: readonly ResponseHeaderName[] = [
  ...cursorHeaders,
  ...(['X-Page', 'X-Total-Count', 'X-Total-Pages', 'X-Total-Count-At-Least', 'Preference-Applied'] as const),
];
const noContent = { status: 204 } as const;

export const entryDescriptions = {
  create: {
    id: 'createEntry',
    summary: 'Creates an entry',
    body: 'NewEntry',
    answer: { status: 201, schema: 'Entry', headers: ['ETag', 'Location'] },
  },
  list: {
    id: 'listEntries',
    summary: 'Lists the entries of a channel',
    headers: ['Prefer'],
    answer: { status: 200, schema: 'EntryMembers', isList: true, headers: pagingHeaders },
  },
  count: {
    id: 'countEntries',
    summary: 'Counts the entries of a list',
    answer: { status: 200, schema: 'Count', headers: ['X-Total-Count-At-Least'] },
  },
  bulk: {
    id: 'bulkEntries',
    summary: 'Does several writes',
    body: 'BulkRequest',
    answer: { status: 200, schema: 'BulkResults' },
  },
  fetch: {
    id: 'fetchEntry',
    summary: 'Fetches an entry',
    headers: ['If-None-Match'],
    answer: { status: 200, schema: 'EntryMembers', headers: ['ETag'] },
  },
  put: {
    id: 'putEntry',
    summary: 'Sets the members of an entry that are sent, as PATCH does',
    body: 'EntryChange',
    answer: { status: 200, schema: 'EntryMembers', headers: ['ETag'] },
  },
  patch: {
    id: 'updateEntry',
    summary: 'Sets the members of an entry that are sent',
    body: 'EntryChange',
    answer: { status: 200, schema: 'EntryMembers', headers: ['ETag'] },
  },
  explain: {
    id: 'explainEntryAccess',
    summary: 'Explains why somebody may or may not do something with an entry',
    answer: { status: 200, schema: 'AccessExplanation' },
  },
  delete: { id: 'deleteEntry', summary: 'Deletes an entry', answer: noContent },
} as const satisfies Record<string, RouteDescription>;

const changes = {
  headers: ['Prefer', 'Last-Event-ID'],
  answer: { status: 200, schema: 'ChangePage', streams: true, headers: ['Preference-Applied'] },
  include: ['entry'],
  // The cursor is older than what is kept.
  refusals: [410],
} as const satisfies Partial<RouteDescription>;

export const changeDescriptions = {
  ofChannel: {
    id: 'listChannelChanges',
    summary: 'Lists the changes of a channel and its entries, oldest first',
    ...changes,
  },
  ofSite: { id: 'listChanges', summary: 'Lists the changes of the site, oldest first', ...changes },
} as const satisfies Record<string, RouteDescription>;

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
  previewAcl: {
    id: 'previewChannelAcl',
    summary: 'Tells which entries other scopes of a channel would show or hide',
    answer: { status: 200, schema: 'AclPreview' },
  },
  rights: {
    id: 'fetchRights',
    summary: 'Tells what the caller may do in a channel, and with an entry of it',
    answer: { status: 200, schema: 'Rights' },
  },
} as const satisfies Record<string, RouteDescription>;

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

export const webhookDescriptions = {
  list: {
    id: 'listWebhooks',
    summary: 'Lists the webhooks of the site, oldest first',
    answer: { status: 200, schema: 'Webhook', isList: true },
  },
  create: {
    id: 'createWebhook',
    summary: 'Creates a webhook, which gets the changes from now on',
    body: 'NewWebhook',
    answer: { status: 201, schema: 'WebhookWithSecret', headers: ['Location'] },
  },
  fetch: { id: 'fetchWebhook', summary: 'Fetches a webhook', answer: { status: 200, schema: 'Webhook' } },
  update: {
    id: 'updateWebhook',
    summary: 'Sets the settings of a webhook that are sent',
    body: 'WebhookChange',
    answer: { status: 200, schema: 'Webhook' },
  },
  delete: { id: 'deleteWebhook', summary: 'Deletes a webhook', answer: noContent },
  rotateSecret: {
    id: 'rotateWebhookSecret',
    summary: 'Gives a webhook a new secret; the old one stays valid for a while',
    body: 'SecretOverlap',
    answer: { status: 200, schema: 'WebhookWithSecret' },
  },
  test: {
    id: 'testWebhook',
    summary: 'Sends an event of the type webhook.test',
    answer: { status: 200, schema: 'WebhookDelivery' },
  },
  listDeliveries: {
    id: 'listDeliveries',
    summary: 'Lists the attempts to send something to a webhook, newest first',
    answer: { status: 200, schema: 'WebhookDelivery', isList: true, headers: cursorHeaders },
  },
  redeliver: {
    id: 'redeliver',
    summary: 'Sends what an attempt sent once more',
    answer: { status: 200, schema: 'WebhookDelivery' },
  },
} as const satisfies Record<string, RouteDescription>;

export const auditDescriptions = {
  list: {
    id: 'listAudit',
    summary: 'Lists who changed what the site manages, newest first',
    answer: { status: 200, schema: 'AuditRecord', isList: true, headers: cursorHeaders },
  },
} as const satisfies Record<string, RouteDescription>;
