// Whether two services on one database are one to their clients: each kind of caller sends the same requests to both.
import { isDeepStrictEqual } from 'node:util';

const path = '/channels/notes/entries';

/** Reads and refused writes. They change nothing, so that both services can be asked. */
const requests = [
  ['GET', path],
  ['GET', `${path}?sort=title&per_page=2&page=2`],
  ['GET', `${path}?title=Second`],
  ['GET', `${path}?rank.gte=2&sort=-rank`],
  ['GET', `${path}?where={"or":[{"rank":{"lt":2}},{"title":{"contains":"thi"}}]}`],
  ['GET', `${path}?q=words`],
  ['GET', `${path}?only=id,title&include=related`],
  ['GET', `${path}?nothing=1`],
  ['GET', `${path}?use_acl=true`],
  ['GET', `${path}/count`],
  ['GET', `${path}/first`],
  ['GET', `${path}/draft`],
  ['GET', `${path}/private`],
  ['GET', `${path}/absent`],
  ['GET', '/channels'],
  ['GET', '/channels/notes'],
  ['GET', '/channels/hidden/entries'],
  ['GET', '/channels/absent/entries'],
  ['GET', '/customers'],
  ['GET', '/tokens'],
  ['PATCH', `${path}/absent`, { title: 'x' }],
  ['PATCH', '/channels/hidden/entries/absent', { rank: 'no number' }],
  ['POST', path, { title: 1, rank: 'no number' }],
  ['DELETE', `${path}/absent`],
  [
    'POST',
    '/graphql',
    {
      query: `{ entries(channel: "notes", first: 3) { totalCount nodes { id title: titleFieldValue fields acl owner } pageInfo { endCursor hasNextPage } } }`,
    },
  ],
  ['POST', '/graphql', { query: `{ entry(channel: "notes", id: "private") { id version fields } channels { id } }` }],
  ['POST', '/graphql', { query: `mutation { updateEntry(channel: "notes", id: "absent", input: {}) { id } }` }],
];

/**
 * Sends every request of every caller to both services.
 * @param callers name → headers
 * @returns { compared, different }: how many were compared, and a line for each that was answered otherwise
 */
export async function compareServices(first, second, callers) {
  const different = [];
  let compared = 0;
  for (const [name, headers] of Object.entries(callers)) {
    for (const [method, target, body] of requests) {
      const [one, other] = [
        await ask(first, method, target, headers, body),
        await ask(second, method, target, headers, body),
      ];
      compared += 1;
      if (!isDeepStrictEqual(one, other))
        different.push(
          `${name} ${method} ${target}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`.slice(0, 600),
        );
    }
  }
  return { compared, different };
}

/** What a client can tell of an answer; the words of refusals and the request's id are left out. */
export async function ask(url, method, target, headers, body) {
  const response = await fetch(url + target, {
    method,
    headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const value = text === '' ? null : JSON.parse(text);
  const shown = ['ETag', 'Link', 'X-Total-Count', 'X-Next-Cursor', 'Location'].map((header) =>
    response.headers.get(header),
  );
  return { status: response.status, headers: shown, body: withoutWords(value) };
}

function withoutWords(value) {
  if (Array.isArray(value)) return value.map(withoutWords);
  if (typeof value !== 'object' || value === null) return value;
  const told = Object.entries(value).filter(
    ([name]) => !['detail', 'message', 'request_id', 'requestId', 'instance'].includes(name),
  );
  return Object.fromEntries(told.map(([name, each]) => [name, withoutWords(each)]));
}
