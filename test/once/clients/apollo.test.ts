// Apollo Client with its normalised cache: pages by cursor, and an update that every query sees.
import { ApolloClient, gql, HttpLink, InMemoryCache, type TypedDocumentNode } from '@apollo/client/core';
import { relayStylePagination } from '@apollo/client/utilities';
import { expect, test } from '@jest/globals';
import { suiteFilms, titles } from './library.ts';

const { endpoint, visitor, manager } = await suiteFilms();

interface Film {
  readonly __typename: 'Entry';
  readonly id: string;
  readonly titleFieldValue: string;
}

interface Films {
  readonly entries: {
    readonly totalCount: number;
    readonly edges: readonly { readonly cursor: string; readonly node: Film }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const filmsQuery: TypedDocumentNode<Films, { after?: string }> = gql`
  query Films($after: String) {
    entries(channel: "films", sort: ["year"], first: 3, after: $after) {
      totalCount
      edges {
        cursor
        node {
          id
          titleFieldValue
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

const filmQuery: TypedDocumentNode<{ entry: Film | null }, { id: string }> = gql`
  query Film($id: ID!) {
    entry(channel: "films", id: $id) {
      id
      titleFieldValue
    }
  }
`;

const renameMutation: TypedDocumentNode<{ updateEntry: Film }, { id: string; title: string }> = gql`
  mutation Rename($id: ID!, $title: String!) {
    updateEntry(channel: "films", id: $id, input: { fields: { title: $title } }) {
      id
      titleFieldValue
    }
  }
`;

function openClient(headers: Record<string, string>): ApolloClient {
  const fields = { entries: relayStylePagination(['channel', 'where', 'search', 'sort']) };
  const cache = new InMemoryCache({ typePolicies: { Query: { fields } } });
  return new ApolloClient({ cache, link: new HttpLink({ uri: endpoint, headers }) });
}

const titlesIn = (films: Films | undefined): string[] =>
  (films?.entries.edges ?? []).map(({ node }) => node.titleFieldValue);

test('Apollo Client joins pages in its cache, to the last one', async () => {
  const client = openClient(visitor);
  const watched = client.watchQuery({ query: filmsQuery });
  const subscription = watched.subscribe(() => undefined);
  await watched.refetch();
  const sizes = [];
  for (let pages = 1; pages < 9; pages += 1) {
    const known = client.readQuery({ query: filmsQuery });
    sizes.push(titlesIn(known ?? undefined).length);
    if (known?.entries.pageInfo.hasNextPage !== true) break;
    await watched.fetchMore({ variables: { after: known.entries.pageInfo.endCursor } });
  }
  subscription.unsubscribe();
  expect(sizes).toEqual([3, 6, 8]);
  expect(titlesIn(client.readQuery({ query: filmsQuery }) ?? undefined)).toEqual(titles);
  client.stop();
});

test('Apollo Client shows an update in cached lists, without another request', async () => {
  const client = openClient(manager);
  const { data } = await client.query({ query: filmsQuery });
  const [first] = data?.entries.edges ?? [];
  const id = first?.node.id ?? '';
  await client.mutate({ mutation: renameMutation, variables: { id, title: 'Renamed' } });
  expect(titlesIn(client.readQuery({ query: filmsQuery }) ?? undefined)).toEqual(['Renamed', 'Film 2', 'Film 3']);
  await client.mutate({ mutation: renameMutation, variables: { id, title: 'Film 1' } });
  client.stop();
});

test('Apollo Client gets null for a missing entry, and no error', async () => {
  const client = openClient(visitor);
  const { data, error } = await client.query({ query: filmQuery, variables: { id: 'nowhere' } });
  expect([data, error]).toEqual([{ entry: null }, undefined]);
  client.stop();
});
