// How the objects that operations hand on answer GraphQL's fields, where these are not members of the same name.
import { withoutTokens } from '../auth/token.ts';
import { errorTable } from '../errors.ts';
import type { Resolvers } from '../generated/graphql/types.ts';
import { publicCountLimit } from '../inputs/page.ts';

export const types = {
  Entry: {
    titleFieldValue: ({ titleFieldValue }) => titleFieldValue ?? null,
    acl: ({ acl }) => (acl ? Object.entries(acl).map(([actor, rule]) => ({ actor, ...noRule, ...rule })) : null),
    owner: ({ owner }) => owner ?? null,
    fields: ({ fields }) => ({ ...fields }),
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
    error: ({ error }) => error ?? null,
  },
  OperationError: {
    code: ({ code }) => errorTable[code].graphql,
    message: ({ detail }) => withoutTokens(detail),
    errors: ({ errors }) => errors?.map((error) => ({ ...error, message: withoutTokens(error.message) })) ?? null,
  },
} satisfies Resolvers;

/** An access rule that says nothing. */
const noRule = { create: null, read: null, update: null, delete: null };
