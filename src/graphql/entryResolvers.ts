// The GraphQL resolvers of entries. Each top-level field performs an operation; the fields below it are members of the object that
// the operation presents.
import { errorTable, type ServiceError } from '../base/errors.ts';
import { redactTokens } from '../base/redaction.ts';
import type { OperationError } from '../generated/graphql/types.ts';
import { bulkEntries } from '../resolvers/entries/bulk.ts';
import { createEntry } from '../resolvers/entries/create.ts';
import { deleteEntry } from '../resolvers/entries/delete.ts';
import { fetchEntry } from '../resolvers/entries/fetch.ts';
import { listEntries } from '../resolvers/entries/list.ts';
import { publishEntry, unpublishEntry } from '../resolvers/entries/publish.ts';
import { updateEntry } from '../resolvers/entries/update.ts';
import { reference, references } from '../resolvers/references/graphqlFields.ts';
import { presentWholeChannel } from '../serializers/channel.ts';
import { countBytes, showFields, showSome, showValue } from './entryFields.ts';
import { field, findingField } from './fields.ts';
import type { ResolversPart } from './schema.ts';

export const entryResolvers = {
  Query: {
    entry: findingField(fetchEntry),
    entries: field(listEntries),
  },
  Mutation: {
    createEntry: field(createEntry),
    updateEntry: field(updateEntry),
    deleteEntry: field(deleteEntry),
    publishEntry: field(publishEntry),
    unpublishEntry: field(unpublishEntry),
    bulkEntries: field(bulkEntries),
  },
  Entry: {
    channel: ({ channel, origin: { reader } }) => channel && presentWholeChannel(channel, reader),
    titleFieldValue: ({ titleFieldValue = null }, _args, { admission: { budget } }) => {
      if (titleFieldValue !== null) budget.takeAnswer(Buffer.byteLength(titleFieldValue));
      return titleFieldValue;
    },
    acl: ({ acl }, _args, { admission: { budget } }) => {
      if (acl === undefined) return null;
      budget.takeAnswer(countBytes(acl));
      return Object.entries(acl).map(([actor, rule]) => ({ actor, ...silentRule, ...rule }));
    },
    owner: ({ owner }) => owner ?? null,
    fields: (entry, { only }, { admission: { budget } }) =>
      only ? showSome(entry, only, budget) : showFields(entry, budget),
    value: (entry, { name }, { admission: { budget } }) => showValue(entry, name, budget),
    reference,
    references,
  },
  EntryConnection: {
    nodes: ({ edges }) => edges.map(({ node }) => node),
    edges: ({ edges }) => [...edges],
    pageInfo: ({ edges, hasNextPage, hasPreviousPage }) => ({
      hasNextPage,
      hasPreviousPage,
      startCursor: edges[0]?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    }),
    totalCount: async ({ count }) => {
      const total = await count('exact');
      return 'exactly' in total ? total.exactly : null;
    },
  },
  EntryStub: {
    titleFieldValue: ({ title_field_value }) => title_field_value,
  },
  OperationResult: {
    entry: ({ entry }) => entry ?? null,
    error: ({ error }) => (error ? presentRefusal(error) : null),
  },
} satisfies ResolversPart;

/** An access rule without any grant or denial; it fills in the members that a stored rule lacks. */
const silentRule = { create: null, read: null, update: null, delete: null };

/** Presents a refusal as data: the executor would treat an Error object as an error of the field. */
function presentRefusal({ code, detail, errors }: ServiceError): OperationError {
  return {
    code: errorTable[code].graphql,
    message: redactTokens(detail),
    errors: errors?.map((each) => ({ ...each, message: redactTokens(each.message) })) ?? null,
  };
}
