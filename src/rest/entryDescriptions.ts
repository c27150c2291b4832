// The descriptions of the routes of entries, in the order of their rows.
import { cursorHeaders, noContent, type ResponseHeaderName, type RouteDescription } from './description.ts';

const pagingHeaders: readonly ResponseHeaderName[] = [
  ...cursorHeaders,
  'X-Page',
  'X-Total-Count',
  'X-Total-Pages',
  'X-Total-Count-At-Least',
  'Preference-Applied',
];

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
  publish: {
    id: 'publishEntry',
    summary: 'Publishes an entry, or schedules it',
    headers: ['If-Match', 'If-None-Match'],
    body: 'Publication',
    refusals: [412],
    answer: { status: 200, schema: 'EntryMembers', headers: ['ETag'] },
  },
  unpublish: {
    id: 'unpublishEntry',
    summary: 'Takes an entry out of publication',
    headers: ['If-Match', 'If-None-Match'],
    body: 'NoMembers',
    refusals: [412],
    answer: { status: 200, schema: 'EntryMembers', headers: ['ETag'] },
  },
  delete: { id: 'deleteEntry', summary: 'Deletes an entry', answer: noContent },
} as const satisfies Record<string, RouteDescription>;
