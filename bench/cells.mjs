// What is measured: for each cell what is asked of Entryway, what the floor is asked instead, and the ratio to reach.
import { articleId, newArticle } from './content.mjs';

export const channel = 'articles';
const entriesPath = `/channels/${channel}/entries`;

const members = 'id url shortId slug channel { id } createdAt updatedAt titleFieldValue status publishAt fields';
const documents = {
  fetch: `query ($id: ID!) { entry(channel: "${channel}", id: $id) { ${members} } }`,
  list: `{ entries(channel: "${channel}", first: 30) { nodes { ${members} } } }`,
  total: `{ entries(channel: "${channel}", first: 30) { totalCount nodes { ${members} } } }`,
  create: `mutation ($input: EntryInput!) { createEntry(channel: "${channel}", input: $input) { ${members} } }`,
};

/** The id of one of all entries, whichever. */
const anyId = (entries) => articleId(channel, Math.floor(Math.random() * entries));

const json = { 'Content-Type': 'application/json' };
const post = (path, value, headers) => ({
  method: 'POST',
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify(value),
});
const graphql = (query, variables, headers) => post('/graphql', { query, variables }, headers);
const bearer = (token) => ({ Authorization: `Bearer ${token}` });

/** The requests of the floor, by name; each is made anew. @param entries how many entries were loaded */
export const floorRequests = {
  fetch: ({ entries }) => ({ path: `/articles/${anyId(entries)}` }),
  list: () => ({ path: '/articles' }),
  create: () => post('/articles', newArticle()),
};

/** The cells: `floor` names the floor's request, `target` is the ratio to reach. */
export const cells = [
  {
    name: 'fetch',
    floor: 'fetch',
    target: 0.7,
    request: ({ entries, tokens }) => ({ path: `${entriesPath}/${anyId(entries)}`, headers: bearer(tokens.public) }),
  },
  {
    name: 'list',
    floor: 'list',
    target: 1.2,
    request: ({ tokens }) => ({ path: entriesPath, headers: { ...bearer(tokens.public), Prefer: 'count=none' } }),
  },
  {
    name: 'list+total',
    floor: 'list',
    target: 0.9,
    request: ({ tokens }) => ({ path: entriesPath, headers: bearer(tokens.public) }),
  },
  {
    name: 'graphql-fetch',
    floor: 'fetch',
    target: 0.4,
    request: ({ entries, tokens }) => graphql(documents.fetch, { id: anyId(entries) }, bearer(tokens.public)),
  },
  {
    name: 'graphql-list',
    floor: 'list',
    target: 0.7,
    request: ({ tokens }) => graphql(documents.list, {}, bearer(tokens.public)),
  },
  {
    name: 'graphql-list+total',
    floor: 'list',
    target: 0.6,
    request: ({ tokens }) => graphql(documents.total, {}, bearer(tokens.public)),
  },
  {
    name: 'create',
    floor: 'create',
    target: 0.5,
    request: ({ tokens }) => post(entriesPath, { ...newArticle(), _status: 'published' }, bearer(tokens.master)),
  },
  {
    name: 'graphql-create',
    floor: 'create',
    target: 0.4,
    request: ({ tokens }) =>
      graphql(documents.create, { input: { status: 'PUBLISHED', fields: newArticle() } }, bearer(tokens.master)),
  },
];

/** In megabytes, at its peak. */
export const memoryTarget = 200;
