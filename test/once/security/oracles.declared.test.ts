// No oracle (V2, V4, V20): whatever stands in an entry that a caller may not read, its answers are the same. Two values of
// the hidden entries are tried, as a master stores them, and everything that lists and writes can be asked of them.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { graphql, rest, type Ask } from '../../support/alike.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { buildSites, type Sites } from '../../support/sites.ts';

let app: TestApp;
let sites: Sites;
let hidden: string[];
beforeAll(async () => {
  app = await startApp();
  sites = await buildSites(app);
  const db = app.database.prisma;
  const channel = await buildChannel(db, sites.here.site.id, {
    ...{ id: 'vault', publishable: true, createScope: 'public', updateScope: 'public' },
    fields: [
      { name: 'title', type: 'string' },
      { name: 'secret', type: 'text' },
      { name: 'n', type: 'integer', indexed: true },
      { name: 'tags', type: 'strings' },
      { name: 'friend', type: 'reference', channel: 'vault' },
      { name: 'friends', type: 'references', channel: 'vault' },
    ],
  });
  const closed = await buildEntry(db, channel, { slug: 'closed', acl: { '*': { read: false } }, data: {} });
  const draft = await buildEntry(db, channel, { slug: 'draft', status: 'draft', data: {} });
  hidden = [closed.id, draft.id];
  for (const [slug, n] of [
    ['one', 1],
    ['two', 5],
  ] as const) {
    const data = { title: slug, secret: 'mango', n, tags: ['mango'], friend: closed.id, friends: hidden };
    await buildEntry(db, channel, { slug, data });
  }
});
afterAll(() => app.close());

const path = '/channels/vault/entries';
const values = [
  { title: 'alpha', secret: 'alpha kiwi', n: 2, tags: ['alpha'] },
  { title: 'omega', secret: 'omega lime', n: 9, tags: ['omega', 'mango'] },
];
const operators = ['', '.ne', '.gt', '.gte', '.lt', '.lte', '.in', '.nin', '.contains', '.starts_with', '.ends_with'];

/** Everything that can be asked by a field, fixed or custom, or through a reference. */
function probesOf(field: string, text: string): Ask[] {
  const byOperator = [...operators, '.all'].map((op) => rest('GET', `${path}?${field}${op}=${text}`));
  const where = JSON.stringify({ or: [{ [field]: { in: [text, 'x'] } }, { not: { [field]: { exists: true } } }] });
  return [
    ...byOperator,
    rest('GET', `${path}?${field}.exists=true`),
    rest('GET', `${path}/count?${field}.exists=false`),
    rest('GET', `${path}?where=${encodeURIComponent(where)}`),
    rest('GET', `${path}?sort=${field}&per_page=1`),
    rest('GET', `${path}?sort=-${field}&per_page=1`),
    graphql(
      `{ entries(channel: "vault", sort: ["${field}"], first: 1) { totalCount pageInfo { endCursor hasNextPage } nodes { fields } } }`,
    ),
  ];
}

const fields = ['title', 'secret', 'n', 'tags', 'title_field_value', 'updated_at', '_status', '_publish_at'];
const through = ['friend', 'friends'].flatMap((name) =>
  ['title', 'secret', 'n', 'tags', 'slug'].map((field) => `${name}.${field}`),
);
const asked: Ask[] = [
  ...[...fields, ...through].flatMap((field) => ['alpha', '9'].flatMap((text) => probesOf(field, text))),
  ...['alpha', 'omega', 'kiwi', 'mango', '-omega', '"omega lime"'].flatMap((text) => [
    rest('GET', `${path}?q=${encodeURIComponent(text)}`),
    rest('GET', `${path}/count?q=${encodeURIComponent(text)}`),
    graphql(
      `{ entries(channel: "vault", search: ${JSON.stringify(text)}) { totalCount edges { cursor node { id } } } }`,
    ),
  ]),
  rest('GET', `${path}?include=friend,friends,friend.friend`),
  rest('GET', `${path}/one?include=friends.friend`),
  graphql(
    '{ entry(channel: "vault", id: "one") { reference(field: "friend") { id } references(field: "friends") { totalCount nodes { id } } } }',
  ),
];

test.each(['public', 'public+ada'])(
  '%s learns nothing of hidden values',
  async (kind) => {
    const caller = sites.ask(kind);
    const answers: string[][] = [];
    for (const body of values) {
      for (const id of hidden) expectEntry(await sites.ask('master').rest('PATCH', `${path}/${id}`, { body }));
      const told: string[] = [];
      for (const probe of asked) {
        const { status, headers, text } = await probe(caller);
        const shown = ['x-total-count', 'x-next-cursor', 'link', 'etag'].map((name) => headers.get(name));
        told.push(JSON.stringify([status, shown, text.replaceAll(headers.get('x-request-id') ?? '', '')]));
      }
      answers.push(told);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.filter((text) => text.startsWith('[200')).length).toBeGreaterThan(150);
  },
  120_000,
);

test('a write that names a hidden entry is refused as one that names none', async () => {
  const messages = new Set<string>();
  for (const name of [...hidden, 'closed', 'draft', 'nobody', '0190f5a0-0000-7000-8000-000000000000']) {
    const answer = await sites.ask('public').rest<{ errors: unknown }>('POST', path, { body: { friend: name } });
    expect(answer.status).toBe(422);
    messages.add(JSON.stringify(answer.body.errors));
  }
  expect(messages.size).toBe(1);
});

test('the stated exception: that a unique value is taken tells that an entry has it, and names none', async () => {
  const fields = [{ name: 'code', type: 'string' as const, unique: true }];
  const channel = await buildChannel(app.database.prisma, sites.here.site.id, {
    id: 'codes',
    createScope: 'public',
    fields,
  });
  await buildEntry(app.database.prisma, channel, {
    data: { code: 'taken' },
    acl: { '*': { read: false } },
    slug: 'hidden-one',
  });
  const answer = await sites.ask('public').rest('POST', '/channels/codes/entries', { body: { code: 'taken' } });
  expect([answer.status, answer.body]).toEqual([
    409,
    expect.objectContaining({ errors: [expect.objectContaining({ field: 'code' })] }),
  ]);
  expect(answer.text).not.toContain('hidden-one');
});
