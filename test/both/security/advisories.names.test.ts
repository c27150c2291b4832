// Published holes of systems like this one, by the shapes V1 to V26, tried here: texts that break out of where they
// stand, in every place of an identifier or a value.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { rest, type Ask } from '../../support/alike.ts';
import { expectClean } from '../../support/clean.ts';
import { buildSites, stateOf, type Sites } from '../../support/sites.ts';

let app: TestApp;
let sites: Sites;
beforeAll(async () => {
  app = await startApp();
  sites = await buildSites(app);
});
afterAll(() => app.close());

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
    "'",
    "''",
    "' OR '1'='1",
    "'; DROP TABLE entries; --",
    '"; DELETE FROM tokens; --',
    "') UNION SELECT hash FROM tokens --",
    "\\'; SELECT pg_sleep(5); --",
    '$1',
    '$$',
    '%',
    '_',
    '\\',
    '/*',
    '--',
    "E'\\x41'",
    '${1}',
    '{{7*7}}',
    ':site_id',
    '?',
    ' ORDER BY 1',
    '1; TRUNCATE channels',
    'created_at, (SELECT hash FROM tokens LIMIT 1)',
    '{"$gt": ""}',
    '[object Object]',
    "x' AND site_id <> '",
  ];

  test.each(['master', 'public+ada'])('in every place of an identifier or a value, by %s', async (kind) => {
    const before = await stateOf(sites, sites.there);
    const [tokens, entries] = [await app.database.prisma.token.count(), sites.entries.open.id];
    // Who may not manage stops at fewer places.
    for (const text of kind === 'master' ? injections : injections.slice(0, 8)) {
      for (const [index, ask] of everywhere(text).entries())
        expectClean([text, index], await ask(sites.ask(kind)), text);
    }
    expect(await stateOf(sites, sites.there)).toBe(before);
    expect(await app.database.prisma.token.count()).toBe(tokens);
    expect((await sites.ask('public').rest('GET', `${path}/${entries}`)).status).toBe(200);
  });

  test('what is a value is stored and found as it is', async () => {
    for (const text of injections) {
      const body = { title: text, nested: { [text]: [text] } };
      const made = await sites.ask('master').rest('POST', '/channels/forms/entries', { body });
      expect([text, made.status]).toEqual([text, 201]);
      const read = await sites.ask('master').rest('GET', `/channels/forms/entries/${String(made.body['id'])}`);
      expect(read.body).toMatchObject({ ...body, title_field_value: text });
    }
  });

  test('in headers', async () => {
    for (const text of injections) {
      for (const name of [
        'Authorization',
        'Session-Token',
        'X-Service-Site',
        'If-Match',
        'If-None-Match',
        'Prefer',
        'X-Request-Id',
      ]) {
        const headers = { Authorization: `Bearer ${sites.here.site.master}`, [name]: text };
        expectClean([text, name], await send(app, 'GET', `${path}/open`, { headers }), text);
      }
    }
  });
});

describe('V23: names that every object inherits', () => {
  const inherited = [
    '__proto__',
    'constructor',
    'prototype',
    'hasOwnProperty',
    'toString',
    'valueOf',
    '__defineGetter__',
  ];

  test.each(['master', 'public+ada'])('in every place of an identifier or a value, by %s', async (kind) => {
    for (const text of inherited) {
      for (const [index, ask] of everywhere(text).entries())
        expectClean([text, index], await ask(sites.ask(kind)), text);
    }
    expect(
      Object.getOwnPropertyNames(Object.prototype).filter((name) => name === 'polluted' || name === 'read'),
    ).toEqual([]);
  });

  test('as a channel, an entry, a customer: there is none', async () => {
    for (const name of inherited) {
      const query = `{ channel(id: "${name}") { id } customer(id: "${name}-x") { id } entry(channel: "articles", id: "${name}") { id } }`;
      const { data } = await sites.ask('master').gql(query);
      expect(data).toEqual({ channel: null, customer: null, entry: null });
      expect((await sites.ask('master').rest('GET', `/channels/${name}/entries`)).status).toBe(404);
    }
  });

  test('as a field it is one like others, and __proto__ none', async () => {
    for (const name of inherited.slice(1, -1)) {
      const body = `{ "${name}": { "polluted": true } }`;
      const made = await sites.ask('master').rest('POST', '/channels/forms/entries', { body });
      expect([name, made.status, Object.hasOwn(made.body, name)]).toEqual([name, 201, true]);
    }
    for (const body of ['{ "__proto__": { "polluted": true } }', '{ "_acl": { "__proto__": "x" } }']) {
      expect((await sites.ask('master').rest('POST', '/channels/forms/entries', { body })).status).toBe(422);
    }
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('as a role or an actor it matches itself alone', async () => {
    for (const name of inherited) {
      const id = `c-${name}`;
      const create =
        'mutation ($id: ID!, $role: String!) { createCustomer(input: { id: $id, roles: [$role] }) { roles } createSession(customer: $id) { token } }';
      const { data } = await sites
        .ask('master')
        .gql<{ createCustomer: object; createSession: { token: string } }>(create, { id, role: name });
      expect(data.createCustomer).toEqual({ roles: [name] });
      const body = JSON.stringify({
        slug: `for-${inherited.indexOf(name)}`,
        _status: 'published',
        _acl: { '*': { read: false }, users: { read: false } },
      }).replace('"users"', `"role:${name}":{"read":true},"users"`);
      expect((await sites.ask('master').rest('POST', '/channels/forms/entries', { body })).status).toBe(201);
      const headers = { 'Session-Token': data.createSession.token };
      const seen = await sites
        .ask('public')
        .rest<{ slug: string }[]>('GET', '/channels/forms/entries?per_page=250', { headers });
      const slugs = seen.body.map(({ slug }) => slug).filter((slug) => slug.startsWith('for-'));
      expect(slugs).toEqual([`for-${inherited.indexOf(name)}`]);
    }
  });
});
