// Published holes of systems like this one, by the shapes V1 to V26, tried here: texts that break out of where they
// stand, in every place of an identifier or a value.
import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/as.ts';
import { rest, type Ask } from '../../support/alike.ts';
import { expectClean } from '../../support/clean.ts';
import { stateOf } from '../../support/sites.ts';
import { suiteSites } from '../../support/scene.ts';
import { words } from '../../support/words.ts';

const { app, sites } = await suiteSites();

const path = '/channels/articles/entries';

/** A request with a text in each place where an identifier or a value can stand. */
function everywhere(text: string): Ask[] {
  const uri = encodeURIComponent(text);
  const body = { [text || 'x']: text, title: text, slug: text, _owner: text, _acl: { [text]: { read: true } } };
  const variables = (query: string, values: object): Ask =>
    rest('POST', '/graphql', { body: { query, variables: values } });
  return [
    ...[uri, `${uri}/entries`].map((tail) => rest('GET', `/channels/${tail}`)),
    ...['GET', 'DELETE'].map((method) => rest(method, `${path}/${uri}`)),
    rest('PATCH', `/channels/forms/entries/${uri}`, { body }),
    rest('POST', '/channels/forms/entries', { body }),
    rest('POST', '/channels/forms/entries', { body: { [text || 'x']: { [text]: [text] } } }),
    ...['sort', 'page', 'per_page', 'use_acl', text].map((name) =>
      rest('GET', `${path}?${encodeURIComponent(name)}=${uri}`),
    ),
    variables(
      'query ($t: ID!) { channel(id: $t) { id } customer(id: $t) { id } sessions(customer: $t) { id } entry(channel: $t, id: $t) { id } }',
      { t: text },
    ),
    variables('query ($t: String!) { entries(channel: "articles", sort: [$t]) { totalCount } }', { t: text }),
    variables(
      'query ($t: String!) { entries(channel: "articles", after: $t) { totalCount } customers(after: $t) { totalCount } }',
      { t: text },
    ),
    variables('mutation ($t: ID!) { revokeToken(id: $t) revokeSession(id: $t) deleteChannel(id: $t, confirm: $t) }', {
      t: text,
    }),
    variables(
      'mutation ($t: ID, $s: String!) { createCustomer(input: { id: $t, name: $s, email: $s, roles: [$s] }) { id roles } }',
      { t: text, s: text },
    ),
    variables(
      'mutation ($t: ID!, $s: String!) { createChannel(input: { id: $t, name: $s, titleField: $s, language: $s }) { id } }',
      { t: text, s: text },
    ),
    variables(
      'mutation ($f: JSONObject!, $s: String!) { createEntry(channel: "forms", input: { fields: $f, owner: $s, acl: [{ actor: $s }] }) { fields } }',
      {
        f: { [text || 'x']: text },
        s: text,
      },
    ),
    rest('POST', '/graphql', {
      body: {
        query: 'query A { channels { id } }',
        operationName: text,
        variables: { [text]: text },
        extensions: { [text]: text },
      },
    }),
  ];
}

describe('V22: SQL that is made of strings', () => {
  const injections = [
    ...words("' '' \\ $1 $$ % _ /* -- ? ${1} {{7*7}} :site_id E'\\x41' "),
    ...["' OR '1'='1", "'; DROP TABLE entries; --", '"; DELETE FROM tokens; --', "') UNION SELECT hash FROM tokens --"],
    ...["\\'; SELECT pg_sleep(5); --", ' ORDER BY 1', '1; TRUNCATE channels', "x' AND site_id <> '"],
    ...['created_at, (SELECT hash FROM tokens LIMIT 1)', '{"$gt": ""}', '[object Object]'],
  ];

  test.each(['master', 'public+ada'])('SQL in each identifier and value is harmless, sent by %s', async (kind) => {
    const before = await stateOf(sites, sites.there);
    const [tokens, entries] = [await app.database.prisma.token.count(), sites.entries.open.id];
    // Who may not manage stops at fewer places.
    for (const text of kind === 'master' ? injections : injections.slice(-12, -4)) {
      for (const [index, ask] of everywhere(text).entries())
        expectClean([text, index], await ask(sites.ask(kind)), text);
    }
    expect(await stateOf(sites, sites.there)).toBe(before);
    expect(await app.database.prisma.token.count()).toBe(tokens);
    expect((await sites.ask('public').rest('GET', `${path}/${entries}`)).status).toBe(200);
  });

  test('SQL in headers is harmless', async () => {
    for (const text of injections) {
      const headersRead = 'Authorization Session-Token X-Service-Site If-Match If-None-Match Prefer X-Request-Id';
      for (const name of words(headersRead)) {
        const headers = { Authorization: `Bearer ${sites.here.site.master}`, [name]: text };
        expectClean([text, name], await send(app, 'GET', `${path}/open`, { headers }), text);
      }
    }
  });
});

describe('V23: names that every object inherits', () => {
  const inherited = words('__proto__ constructor prototype hasOwnProperty toString valueOf __defineGetter__');

  test.each(['master', 'public+ada'])(
    'inherited names in each identifier and value are ordinary names, sent by %s',
    async (kind) => {
      for (const text of inherited) {
        for (const [index, ask] of everywhere(text).entries())
          expectClean([text, index], await ask(sites.ask(kind)), text);
      }
      expect(
        Object.getOwnPropertyNames(Object.prototype).filter((name) => name === 'polluted' || name === 'read'),
      ).toEqual([]);
    },
  );

  test('a channel, an entry or a customer with an inherited name is missing', async () => {
    for (const name of inherited) {
      const query = `{ channel(id: "${name}") { id } customer(id: "${name}-x") { id } entry(channel: "articles", id: "${name}") { id } }`;
      const { data } = await sites.ask('master').gql(query);
      expect(data).toEqual({ channel: null, customer: null, entry: null });
      expect((await sites.ask('master').rest('GET', `/channels/${name}/entries`)).status).toBe(404);
    }
  });
});
