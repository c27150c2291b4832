// Published holes of systems like this one, by the shapes V1 to V26, tried here: names, filters and cursors that tell
// what can't be read. Where a shape can't exist yet, the test holds that it can't.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createSchema } from '../../../src/graphql/schema.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { expectAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { fieldsOf } from '../../support/doors.ts';
import { buildEntries, buildSites, type Sites } from '../../support/sites.ts';

let app: TestApp;
let sites: Sites;
beforeAll(async () => {
  app = await startApp();
  sites = await buildSites(app);
});
afterAll(() => app.close());

const path = '/channels/articles/entries';
const inside = ['public', 'public+ada', 'user', 'user+ada', 'master', 'master/acl', 'master+ada/acl'];

describe('V2: an oracle for what can’t be read', () => {
  const operators = [
    'EQ',
    'NE',
    'GT',
    'GTE',
    'LT',
    'LTE',
    'IN',
    'NIN',
    'EXISTS',
    'CONTAINS',
    'STARTS_WITH',
    'ENDS_WITH',
    'ALL',
  ];
  const fields = ['_owner', '_acl', 'secret', 'title', 'title_field_value', 'id'];
  const probes = [
    ...[path, `${path}/count`, `${path}/open`, `${path}?per_page=1`, `${path}?page=2&per_page=1`].map((p) =>
      rest('GET', p),
    ),
    ...['created_at', 'updated_at', 'slug', 'title_field_value', '_status', '_owner', '_acl'].flatMap((field) => [
      rest('GET', `${path}?sort=${field}`),
      rest('GET', `${path}?sort=-${field}&per_page=1`),
    ]),
    ...fields.flatMap((field) => [
      rest('GET', `${path}?${field}=bob`),
      rest('GET', `${path}?${field}.starts_with=b`),
      rest('GET', `${path}?where=${encodeURIComponent(JSON.stringify({ [field]: { gt: 'b' } }))}`),
      ...operators.map((op) =>
        graphql(
          `{ entries(channel: "articles", where: { field: "${field}", op: ${op}, value: "b" }) { totalCount nodes { id } } }`,
        ),
      ),
    ]),
    graphql(
      '{ entries(channel: "articles", sort: ["title_field_value"]) { totalCount pageInfo { hasNextPage } nodes { id } } }',
    ),
  ];

  test.each(['public', 'public+ada'])('whatever the hidden value is, %s gets the same answers', async (kind) => {
    const { prisma } = app.database;
    const answers: string[][] = [];
    for (const value of ['aaa', 'zzz']) {
      const data = { title: value, secret: value };
      for (const { siteId, id } of [sites.entries.closed, sites.entries.draft]) {
        const hidden = { owner: value, acl: { '*': { read: false }, [value]: { read: true } }, data, title: value };
        await prisma.entry.update({ where: { siteId_id: { siteId, id } }, data: hidden });
      }
      const { siteId, id } = sites.entries.open;
      const acl = { [value]: { read: true } };
      await prisma.entry.update({ where: { siteId_id: { siteId, id } }, data: { owner: value, acl } });
      const texts = [];
      for (const probe of probes) {
        const { status, headers, text } = await probe(sites.ask(kind));
        const requestId = headers.get('x-request-id') ?? '';
        const counts = ['x-total-count', 'link', 'etag'].map((name) => headers.get(name));
        texts.push(JSON.stringify([status, counts, text.replaceAll(requestId, '')]));
      }
      answers.push(texts);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.some((text) => text.startsWith('[200'))).toBe(true);
  });
});

describe('V5: an identifier that is looked up past the rule', () => {
  test('in a mutation’s id, a cursor or a path, a hidden row is like none', async () => {
    const { closed } = await buildEntries(app, sites.here.forms);
    const { errors } = await sites
      .ask('public')
      .gql(`{ entries(channel: "forms", after: "${closed.id}") { totalCount } }`);
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['BAD_USER_INPUT']);
    const none = `${closed.id.slice(0, -4)}${closed.id.endsWith('0000') ? '1111' : '0000'}`;
    for (const kind of ['public', 'public+ada', 'user', 'master+ada/acl']) {
      for (const naming of [
        (id: string) => graphql(`mutation { updateEntry(channel: "forms", id: "${id}", input: {}) { id } }`),
        (id: string) => graphql(`mutation { deleteEntry(channel: "forms", id: "${id}") }`),
        (id: string) => graphql(`{ entries(channel: "forms", after: "${id}") { totalCount } }`),
        (id: string) => rest('PUT', `/channels/forms/entries/${id}`, { body: {}, headers: { 'If-Match': '*' } }),
      ]) {
        await expectAlike(sites.ask(kind), naming, closed.id, none);
      }
    }
  });
});

describe('V3: a private name behind a prefix, a path or another parameter', () => {
  const disguised = [
    ...[
      'e._owner',
      'entries._owner',
      't1._owner',
      '_owner.length',
      '._owner',
      ' _owner',
      '_owner ',
      '"_owner"',
      '_OWNER',
    ],
    ...[
      '_owner::text',
      "acl->>'x'",
      'acl',
      'owner',
      'data',
      'data.secret',
      'fields.secret',
      'channel.acl',
      'channel._acl',
    ],
    ...['site_id', 'siteId', 'version', 'read_grant', 'readGrant', 'title_key', 'created_at;--', 'created_at desc'],
    ...['CREATED_AT', '-', '', '*', '1', 'lookup', 'password', 'hash', 'token', 'session.hash', 'id.id'],
  ];

  test('as a sort key: each is refused, or is the name of a member that no entry has', async () => {
    const naming = (key: string) =>
      graphql(`{ entries(channel: "articles", sort: [${JSON.stringify(key)}]) { nodes { id } } }`);
    for (const kind of ['public', 'master']) {
      const plain = await rest('GET', `${path}?sort=nobody_has_this`)(sites.ask(kind));
      const plainly = await naming('nobody_has_this')(sites.ask(kind));
      for (const key of disguised) {
        const { status, text } = await rest('GET', `${path}?sort=${encodeURIComponent(key)}`)(sites.ask(kind));
        if (status === 200) expect([key, text]).toEqual([key, plain.text]);
        else if (key !== '') expect([key, status, text]).toEqual([key, 400, expect.stringContaining('is no field')]);
        const { text: answer } = await naming(key)(sites.ask(kind));
        if (!answer.includes('is not a field to sort by.')) expect([key, answer]).toEqual([key, plainly.text]);
      }
    }
  });

  test('as a parameter, with and without an operator, on every route that reads', async () => {
    const known = ['where', 'filter', 'lookup', 'populate', 'fields', 'include', 'select', 'q'];
    for (const name of [...disguised, ...known]) {
      for (const tail of [name, `${name}.ne`, `${name}[ne]`, `where[${name}]`]) {
        for (const target of [path, `${path}/count`, `${path}/open`]) {
          const answer = await sites.ask('public').rest('GET', `${target}?${encodeURIComponent(tail)}=x`);
          const isNegated = tail.endsWith('.ne') && tail !== '.ne';
          const none = await sites.ask('public').rest('GET', `${target}?nobody_has_this${isNegated ? '.ne' : ''}=x`);
          if (answer.status !== 400) expect([target, tail, answer.text]).toEqual([target, tail, none.text]);
        }
      }
    }
  });
});

describe('V4: a search that looks where the caller may not', () => {
  const ordered = ['', '&sort=created_at', '&sort=-title_field_value', '&per_page=1'];
  const asked: ((term: string) => Ask)[] = [
    (term) =>
      graphql(`{ entries(channel: "articles", search: ${JSON.stringify(term)}) { totalCount nodes { slug } } }`),
    (term) => rest('GET', `${path}/count?q=${encodeURIComponent(term)}`),
    ...ordered.map((sort) => (term: string) => rest('GET', `${path}?q=${encodeURIComponent(term)}${sort}`)),
  ];
  const terms = (word: string) => [word, `secret of ${word}`, `"title of ${word}"`, `open OR ${word}`, `-${word}`];
  const hiddenFrom = {
    public: ['adas', 'closed', 'draft'],
    'public+ada': ['closed', 'draft'],
    user: ['adas', 'closed'],
  };

  test.each(Object.entries(hiddenFrom))(
    '%s: what stands in %s alone answers like what stands nowhere',
    async (kind, hidden) => {
      const pairs = hidden.flatMap((slug) =>
        terms(slug).map((term, at) => [term, terms('nowhere')[at] ?? ''] as const),
      );
      for (const [term, absent] of pairs) {
        for (const ask of asked) {
          const answers = await Promise.all([term, absent].map((each) => ask(each)(sites.ask(kind))));
          const told = answers.map(({ status, headers, text }) => [status, headers.get('x-total-count'), text]);
          expect([term, told[0]]).toEqual([term, told[1]]);
        }
      }
      const shown = await sites.ask('master').rest<unknown[]>('GET', `${path}?q=closed`);
      expect(shown.body).toHaveLength(1);
    },
  );

  test('owners, rules and states are no text that anybody finds, managers neither', async () => {
    for (const kind of inside) {
      for (const term of ['bob', 'carol', 'users', 'read', 'published', 'articles']) {
        const { body } = await sites.ask(kind).rest('GET', `${path}/count?q=${term}`);
        expect([kind, term, body]).toEqual([kind, term, { count: 0 }]);
      }
    }
  });

  test('no other parameter searches', async () => {
    for (const kind of inside) {
      for (const name of ['search', 'query', '_q']) {
        const answer = await sites.ask(kind).rest<unknown[]>('GET', `${path}?${name}=closed`);
        expect([name, answer.status === 400 || answer.body.length === 0]).toEqual([name, true]);
      }
    }
  });
});

describe('V20: a filter that hops over a relation to rows without their rule', () => {
  // There are no filters yet. What references give is tried in test/both/graphql/references.test.ts and test/both/rest/include.test.ts.
  test('none is filtered through, and what is no reference field is not included', async () => {
    for (const kind of inside) {
      // Where nothing is declared these are names like any other, which no entry has.
      for (const hop of ['author.secret=x', 'author._owner=bob', 'author.id.in=a,b', 'author.author.secret=x']) {
        expect([hop, (await sites.ask(kind).rest('GET', `${path}?${hop}`)).text]).toEqual([hop, '[]']);
      }
      const where = '{ field: "author.secret", op: EXISTS, value: true }';
      const { data } = await sites.ask(kind).gql(`{ entries(channel: "articles", where: ${where}) { totalCount } }`);
      expect(data).toEqual({ entries: { totalCount: 0 } });
    }
  });

  test('what names another entry in custom fields is text: nothing comes with it', async () => {
    const { closed } = sites.entries;
    const stub = { id: closed.id, channel: 'articles', slug: 'closed' };
    const body = { author: closed.id, link: stub, links: [stub] };
    const made = await sites.ask('public+ada').rest('POST', '/channels/forms/entries', { body });
    expect(made.body).toMatchObject(body);
    expect(made.text).not.toMatch(/secret of|Title of/);
  });

  test('and nothing but the operations and references gives an entry', () => {
    const ways = [...fieldsOf(createSchema())]
      .filter(([, { type }]) => /\bEntry\b/.test(String(type)))
      .map(([name]) => name);
    const operations = ['Query.entry', 'Mutation.createEntry', 'Mutation.updateEntry', 'OperationResult.entry'];
    expect(ways.sort()).toEqual([...operations, 'Entry.reference', 'EntryConnection.nodes', 'EntryEdge.node'].sort());
  });
});
