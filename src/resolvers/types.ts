// How the objects that operations hand on answer GraphQL's fields, where these are not members of the same name.
import { withoutTokens } from '../redaction.ts';
import { errorTable, type ServiceError } from '../errors.ts';
import type { OperationError, Resolvers } from '../generated/graphql/types.ts';
import { publicCountLimit } from '../inputs/page.ts';
import { reference, references } from './references/graphqlFields.ts';
import { nothingIncluded, withReferences } from './references/embed.ts';

export const types = {
  Entry: {
    titleFieldValue: ({ titleFieldValue }) => titleFieldValue ?? null,
    acl: ({ acl }) => (acl ? Object.entries(acl).map(([actor, rule]) => ({ actor, ...noRule, ...rule })) : null),
    owner: ({ owner }) => owner ?? null,
    fields: async (entry, _args, context) => {
      const [shown] = await withReferences([entry], nothingIncluded, context);
      return { ...shown?.fields };
    },
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
    totalCount: async ({ count }, _args, { caller }) => {
      const total = await count(caller.kind === 'public' ? publicCountLimit : null);
      return 'exactly' in total ? total.exactly : null;
    },
  },
  OperationResult: {
    entry: ({ entry }) => entry ?? null,
    error: ({ error }) => (error ? presentRefusal(error) : null),
  },
} satisfies Resolvers;

/** An access rule that says nothing. */
const noRule = { create: null, read: null, update: null, delete: null };

/** A refusal as data: an error itself would be taken for one of the field's. */
function presentRefusal({ code, detail, errors }: ServiceError): OperationError {
  return {
    code: errorTable[code].graphql,
    message: withoutTokens(detail),
    errors: errors?.map((each) => ({ ...each, message: withoutTokens(each.message) })) ?? null,
  };
}
