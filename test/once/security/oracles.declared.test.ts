// No oracle: whatever stands in an entry that a caller may not read, its answers are the same. Two values of the hidden
// entries are tried, and everything that lists and writes can be asked of them, where fields are declared and where none is.
import { expect, test } from '@jest/globals';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import { graphql, rest, type Ask } from '../../support/alike.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectEntry } from '../../support/expect.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();
const db = app.database.prisma;

/** A channel with two entries that are shown, which refer to two that are hidden. */
async function buildVault(id: string, fields: Partial<FieldDefinition>[] = []) {
  const rules = { publishable: true, createScope: 'public', updateScope: 'public' } as const;
  const channel = await buildChannel(db, sites.here.site.id, { id, ...rules, fields });
  const closed = await buildEntry(db, channel, { slug: 'closed', acl: { '*': { read: false } }, data: {} });
  const draft = await buildEntry(db, channel, { slug: 'draft', status: 'draft', data: {} });
  const hidden = [closed.id, draft.id];
  const data = { secret: 'mango', tags: ['mango'], friend: closed.id, friends: hidden };
  const { id: shown } = await buildEntry(db, channel, { slug: 'one', data: { ...data, title: 'one', n: 1 } });
  await buildEntry(db, channel, { slug: 'two', data: { ...data, title: 'two', n: 5 } });
  return { path: `/channels/${id}/entries`, id, hidden, shown };
}

const vaults = {
  vault: await buildVault('vault', [
    { name: 'title', type: 'string' },
    { name: 'secret', type: 'text' },
    { name: 'n', type: 'integer', indexed: true },
    { name: 'tags', type: 'strings' },
    { name: 'friend', type: 'reference', channel: 'vault' },
    { name: 'friends', type: 'references', channel: 'vault' },
  ]),
  undeclared: await buildVault('undeclared'),
};
type Vault = (typeof vaults)['vault'];

const values = [
  { title: 'alpha', secret: 'alpha kiwi', n: 2, tags: ['alpha'] },
  { title: 'omega', secret: 'omega lime', n: 9, tags: ['omega', 'mango'] },
];
const operators = ['', '.ne', '.gt', '.gte', '.lt', '.lte', '.in', '.nin', '.contains', '.starts_with', '.ends_with'];

/** Everything that can be asked by a field, fixed or custom, or through a reference. */
function probesOf({ path, id }: Vault, field: string, text: string): Ask[] {
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
      `{ entries(channel: "${id}", sort: ["${field}"], first: 1) { totalCount pageInfo { endCursor hasNextPage } nodes { fields } } }`,
    ),
  ];
}

/** What can be asked without a field: searches, and what the shown entries lead to. */
function otherProbes({ path, id }: Vault): Ask[] {
  return [
    ...['alpha', 'omega', 'kiwi', 'mango', '-omega', '"omega lime"'].flatMap((text) => [
      rest('GET', `${path}?q=${encodeURIComponent(text)}`),
      rest('GET', `${path}/count?q=${encodeURIComponent(text)}`),
      graphql(
        `{ entries(channel: "${id}", search: ${JSON.stringify(text)}) { totalCount edges { cursor node { id } } } }`,
      ),
    ]),
    ...[path, `${path}/one`, `${path}/count`, `${path}?page=2&per_page=1`].map((each) => rest('GET', each)),
    rest('GET', `${path}?include=friend,friends,friend.friend`),
    rest('GET', `${path}/one?include=friends.friend`),
    graphql(
      `{ entry(channel: "${id}", id: "one") { reference(field: "friend") { id } references(field: "friends") { totalCount nodes { id } } } }`,
    ),
  ];
}

const fields = ['title', 'secret', 'n', 'tags', 'title_field_value', 'updated_at', '_status', '_publish_at'];
const privateFields = ['_owner', '_acl'];
const through = ['friend', 'friends'].flatMap((name) =>
  ['title', 'secret', 'n', 'tags', 'slug'].map((field) => `${name}.${field}`),
);

/** Makes the hidden entries, and what is private of one that is shown, depend on one of the values. */
async function hide({ path, hidden, shown }: Vault, body: (typeof values)[number]): Promise<void> {
  const [owner, siteId] = [body.title, sites.here.site.id];
  for (const id of hidden) expectEntry(await sites.ask('master').rest('PATCH', `${path}/${id}`, { body }));
  for (const id of [...hidden, shown]) {
    const acl = { ...(id !== shown && { '*': { read: false } }), [owner]: { read: true } };
    await db.entry.updateMany({ where: { siteId, id }, data: { owner, acl } });
  }
}

const askers = ['public', 'public+ada'].flatMap((kind) =>
  (['vault', 'undeclared'] as const).map((id) => [kind, id] as const),
);
test.each(askers)(
  'V2: %s gets no answer that depends on hidden values, in the channel %s',
  async (kind, name) => {
    const vault = vaults[name];
    const named = name === 'vault' ? [...fields, ...privateFields, ...through] : [...fields, ...privateFields];
    const texts = name === 'vault' ? ['alpha', '9'] : ['alpha'];
    const asked = named.flatMap((field) => texts.flatMap((text) => probesOf(vault, field, text)));
    const answers: string[][] = [];
    for (const body of values) {
      await hide(vault, body);
      const told: string[] = [];
      for (const probe of [...asked, ...otherProbes(vault)]) {
        const { status, headers, text } = await probe(sites.ask(kind));
        const shown = ['x-total-count', 'x-next-cursor', 'link', 'etag'].map((header) => headers.get(header));
        told.push(JSON.stringify([status, shown, text.replaceAll(headers.get('x-request-id') ?? '', '')]));
      }
      answers.push(told);
    }
    expect(answers[0]).toEqual(answers[1]);
    expect(answers[0]?.filter((text) => text.startsWith('[200')).length).toBeGreaterThan(100);
  },
  600_000,
);

test('a taken unique value is refused without the name of its entry, which may be hidden', async () => {
  const channel = await buildChannel(db, sites.here.site.id, {
    ...{ id: 'codes', createScope: 'public' },
    fields: [{ name: 'code', type: 'string', unique: true }],
  });
  await buildEntry(db, channel, { data: { code: 'taken' }, acl: { '*': { read: false } }, slug: 'hidden-one' });
  const answer = await sites.ask('public').rest('POST', '/channels/codes/entries', { body: { code: 'taken' } });
  expect([answer.status, answer.body]).toEqual([
    409,
    expect.objectContaining({ errors: [expect.objectContaining({ field: 'code' })] }),
  ]);
  expect(answer.text).not.toContain('hidden-one');
});
