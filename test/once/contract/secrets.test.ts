// A token that stands where it does not belong: no error says it again, and no log holds it, however it is written. What is
// logged is searched by the watch over the suite (test/support/watch), which fails the test.
import { describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import { suiteApp } from '../../support/scene.ts';
import { as, send } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';

const app = await suiteApp();
const site = await buildSite(app.database.prisma);
await buildChannel(app.database.prisma, site.id, { id: 'articles' });
const master = as(app, { token: site.master });
const bearer = { Authorization: `Bearer ${site.master}` };

const { token } = mintToken('user');
const entries = '/channels/articles/entries';
const encoded = token.replaceAll('_', '%5F');
const inEachCharacter = [...token].map((char) => `%${char.charCodeAt(0).toString(16)}`).join('');

describe.each([
  ['as it is', token],
  ['percent-encoded', encoded],
  ['in each character', inEachCharacter],
  ['encoded twice', encodeURIComponent(encoded)],
])('a token in a URL, %s', (_name, text) => {
  test.each([
    ['a path', `/${text}`, 404],
    ['a channel', `/channels/${text}/entries`, 404],
    ['an entry', `${entries}/${text}`, 404],
    ['the name of a parameter', `${entries}?${text}=1`, 400],
    ['a value', `${entries}?sort=${text}`, 400],
    ['a switch', `${entries}?use_acl=${text}`, 400],
    ['a cursor', `${entries}?cursor=${text}`, 400],
    ['a parameter of GraphQL', `/graphql?${text}=1`, 400],
  ])('a token in a URL as %s is neither repeated nor logged', async (_what, path, status) => {
    const answer = await send(app, 'GET', path, { headers: { ...bearer, 'Apollo-Require-Preflight': '1' } });
    expect(answer.status).toBe(status);
    expect(unescaped(answer.text)).not.toContain(token);
    expect(unescaped(JSON.stringify([...answer.headers]))).not.toContain(token);
  });
});

test.each<[string, unknown]>([
  ['a name', { [token]: null, _status: 'x' }],
  ['a name that is none', { [`_${token}`]: 1 }],
  ['a slug', { slug: token }],
  ['a time', { _publish_at: token }],
  ['a status', { _status: token }],
  ['an actor', { _acl: { [token]: { fly: true } } }],
  ['an action', { _acl: { '*': { [token]: true } } }],
  ['what is no JSON', `{"${token}`],
])('a token in a refused body as %s is neither repeated nor logged', async (_what, body) => {
  const answer = await master.rest('POST', entries, { body });
  expect([400, 422]).toContain(answer.status);
  expect(answer.text).not.toContain(token);
});

test.each<[string, string, Record<string, unknown>]>([
  ['a field', `{ ${token} }`, {}],
  ['an argument', `{ channels(${token}: 1) { id } }`, {}],
  ['a type', `query ($a: ${token}) { channels { id } }`, {}],
  ['a variable', `{ channel(id: $${token}) { id } }`, {}],
  ['an enum', `mutation { updateChannel(id: "articles", input: { acl: { read: ${token} } }) { id } }`, {}],
  ['what is no query', `{ "${token}" }`, {}],
  ['a value', 'query ($a: Int!) { entries(channel: "articles", first: $a) { totalCount } }', { a: token }],
  [
    'a time',
    'mutation ($a: DateTime) { createEntry(channel: "articles", input: { publishAt: $a }) { id } }',
    { a: token },
  ],
  ['a sort', 'query ($a: [String!]) { entries(channel: "articles", sort: $a) { totalCount } }', { a: [`_${token}`] }],
  [
    'the name of an input',
    'mutation ($a: EntryInput!) { createEntry(channel: "articles", input: $a) { id } }',
    { a: { [token]: 1 } },
  ],
])('a token in a refused GraphQL request as %s is neither repeated nor logged', async (_what, query, variables) => {
  const { errors } = await master.gql(query, variables);
  expect(errors).not.toHaveLength(0);
  expect(JSON.stringify(errors)).not.toContain(token);
});

test.each(['X-Request-Id', 'X-Service-Site', 'If-Match', 'Prefer', 'Accept', 'Content-Type', 'Session-Token'])(
  'a token in the header %s is neither repeated nor logged',
  async (name) => {
    const answer = await send(app, 'PATCH', `${entries}/none`, { headers: { ...bearer, [name]: token }, body: '{}' });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text + JSON.stringify([...answer.headers])).not.toContain(token);
  },
);

/** A text with all percent-encoding taken off. */
function unescaped(text: string): string {
  const plain = text.replace(/%([0-7][0-9A-Fa-f])/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
  return plain === text ? plain : unescaped(plain);
}
