// urql, as it is by default and with its normalised cache.
import { expect, test } from '@jest/globals';
import { cacheExchange, Client, fetchExchange, gql, type Exchange } from '@urql/core';
import { cacheExchange as graphcache } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { suiteFilms, titles } from './library.ts';

const { endpoint, visitor, manager } = await suiteFilms();

interface Films {
  readonly entries: {
    readonly nodes: readonly { readonly id: string; readonly titleFieldValue: string }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  };
}

const films = gql<Films, { after?: string }>`
  query Films($after: String) {
    entries(channel: "films", sort: ["year"], first: 3, after: $after) {
      nodes {
        id
        titleFieldValue
      }
      pageInfo {
        hasNextPage
        endCursor
        hasPreviousPage
        startCursor
      }
    }
  }
`;

const rename = gql<{ updateEntry: { id: string } }, { id: string; title: string }>`
  mutation Rename($id: ID!, $title: String!) {
    updateEntry(channel: "films", id: $id, input: { fields: { title: $title } }) {
      id
      titleFieldValue
    }
  }
`;

/** A client, and the methods of the requests that it sends. */
function openClient(cache: Exchange, headers: Record<string, string>): { client: Client; methods: string[] } {
  const methods: string[] = [];
  const client = new Client({
    url: endpoint,
    exchanges: [cache, fetchExchange],
    fetchOptions: { headers },
    fetch: (input, init) => {
      methods.push(init?.method ?? 'GET');
      return fetch(input, init);
    },
  });
  return { client, methods };
}

test('urql with its defaults queries by GET, and writes by POST', async () => {
  const { client, methods } = openClient(cacheExchange, manager);
  const seen = [];
  for (let after: string | undefined, isLast = false; !isLast;) {
    const { data, error } = await client.query(films, after === undefined ? {} : { after });
    expect(error).toBeUndefined();
    seen.push(...(data?.entries.nodes ?? []));
    after = data?.entries.pageInfo.endCursor;
    isLast = data?.entries.pageInfo.hasNextPage !== true;
  }
  expect(seen.map(({ titleFieldValue }) => titleFieldValue)).toEqual(titles);
  const { error } = await client.mutation(rename, { id: seen[0]?.id ?? '', title: 'Film 1' });
  expect(error).toBeUndefined();
  expect(methods).toEqual(['GET', 'GET', 'GET', 'POST']);
});

test('urql with Graphcache joins pages, and shows an update without another request', async () => {
  const cache = graphcache({
    keys: { Channel: ({ id }) => `${id}`, PageInfo: () => null, EntryConnection: () => null },
    resolvers: { Query: { entries: relayPagination() } },
  });
  const { client, methods } = openClient(cache, manager);
  const first = await client.query(films, {});
  const after = first.data?.entries.pageInfo.endCursor ?? '';
  const both = await client.query(films, { after });
  expect(both.data?.entries.nodes.map(({ titleFieldValue }) => titleFieldValue)).toEqual(titles.slice(0, 6));
  const id = both.data?.entries.nodes[0]?.id ?? '';
  await client.mutation(rename, { id, title: 'Renamed' });
  const sent = methods.length;
  const shown = await client.query(films, { after }, { requestPolicy: 'cache-only' });
  expect(shown.data?.entries.nodes[0]).toMatchObject({ id, titleFieldValue: 'Renamed' });
  expect(methods.length).toBe(sent);
  await client.mutation(rename, { id, title: 'Film 1' });
});

test('urql gets null for a missing entry, and no error', async () => {
  const { client } = openClient(cacheExchange, visitor);
  const query = '{ entry(channel: "films", id: "nowhere") { id } channel(id: "nowhere") { id } }';
  const { data, error } = await client.query(query, {});
  expect([data, error]).toEqual([{ entry: null, channel: null }, undefined]);
});
