// A field that a caller may not know of answers like one that there is not, byte for byte but for the request's id and the
// name, by whichever argument it is named: the rows of test/once/doors/arguments.ts that name a field.
import { describe, expect, test } from '@jest/globals';
import { suiteSites } from '../../support/scene.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { argumentTable } from './arguments.ts';

const { app, sites } = await suiteSites();
// `gone` was declared once, and its values are kept.
const notes = await buildChannel(app.database.prisma, sites.here.site.id, {
  id: 'notes',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'heading', type: 'string' },
    { name: 'links', type: 'references', channel: 'notes' },
  ],
});
const first = await buildEntry(app.database.prisma, notes, { slug: 'first', data: { title: 'First', gone: 'x' } });
await buildEntry(app.database.prisma, notes, { slug: 'note', data: { links: [first.id], title: 'Note', gone: 'b' } });

/** Requests that name a field of the entries of a channel. */
const onField: Readonly<Record<string, (channel: string, field: string) => Ask>> = {
  'query ?sort': (channel, field) => rest('GET', `/channels/${channel}/entries?sort=-${field}`),
  'query ?sort, behind another': (channel, field) => rest('GET', `/channels/${channel}/entries?sort=slug,${field}`),
  'query ?<field>': (channel, field) => rest('GET', `/channels/${channel}/entries?${field}=b`),
  'query ?<field>, with an operator': (channel, field) =>
    rest('GET', `/channels/${channel}/entries?${field}.exists=true`),
  'query ?<field>, of a count': (channel, field) => rest('GET', `/channels/${channel}/entries/count?${field}.ne=b`),
  'query ?where': (channel, field) => rest('GET', `/channels/${channel}/entries?where=${json({ [field]: 'b' })}`),
  'query ?where, deep inside': (channel, field) =>
    rest(
      'GET',
      `/channels/${channel}/entries?where=${json({ or: [{ slug: 'note' }, { not: { [field]: { in: ['b'] } } }] })}`,
    ),
  'query ?where, of a count': (channel, field) =>
    rest('GET', `/channels/${channel}/entries/count?where=${json({ [field]: { exists: false } })}`),
  'Query.entries(sort)': (channel, field) =>
    graphql(`{ entries(channel: "${channel}", sort: ["${field}"]) { totalCount } }`),
  'Query.entries(where)': (channel, field) =>
    graphql(`{ entries(channel: "${channel}", where: { field: "${field}", value: "b" }) { totalCount } }`),
  'EntryFilter.field': (channel, field) =>
    graphql(
      `{ entries(channel: "${channel}", where: { not: { or: [{ field: "${field}", op: EXISTS, value: true }] } }) { totalCount } }`,
    ),
};

/** Of references. */
const onReference: Readonly<Record<string, (field: string) => Ask>> = {
  'query ?include': (field) => rest('GET', `/channels/notes/entries?include=${field}`),
  'query ?include, of a fetch': (field) => rest('GET', `/channels/notes/entries/note?include=links.${field}`),
  'Entry.reference(field)': (field) =>
    graphql(`{ entry(channel: "notes", id: "note") { reference(field: "${field}") { id } } }`),
  'Entry.references(field)': (field) =>
    graphql(`{ entry(channel: "notes", id: "note") { references(field: "${field}") { totalCount } } }`),
};

/** Of what is shown of an entry. */
const onShown: Readonly<Record<string, (field: string) => Ask>> = {
  'Entry.fields(only)': (field) =>
    graphql(`{ entry(channel: "notes", id: "note") { fields(only: ["title", "${field}"]) } }`),
  'Entry.value(name)': (field) => graphql(`{ entry(channel: "notes", id: "note") { value(name: "${field}") } }`),
};

const json = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

const insiders = ['public', 'public+ada', 'user', 'user+ada', 'master', 'master/acl', 'master+ada/acl'];
const isPublic = (kind: string): boolean => kind.startsWith('public');

describe.each(Object.entries(onField))('by %s', (argument, naming) => {
  test.each(['public', 'public+ada'])('a private member named by %s is refused like a missing field', async (kind) => {
    // `absent` is not near to any name, so that no refusal suggests one.
    // Where no field is declared, every name but those that begin like these is one; and such a parameter is refused in
    // other words, since no channel has it.
    const undeclared = argument.startsWith('query ?<field>') ? [] : [['articles', '_absent'] as const];
    for (const [channel, absent] of [['notes', 'absent'] as const, ...undeclared]) {
      for (const field of ['_owner', '_acl']) {
        const { text } = await expectAlike(sites.ask(kind), (name) => naming(channel, name), field, absent);
        expect(text).toMatch(/"bad_request"|"BAD_USER_INPUT"/);
      }
    }
  });

  test.each(insiders)('a removed field named by %s is refused like a missing one', async (kind) => {
    const { text } = await expectAlike(sites.ask(kind), (name) => naming('notes', name), 'gone', 'nope');
    expect(text).toMatch(/"bad_request"|"BAD_USER_INPUT"/);
  });
});

describe.each(Object.entries(onReference))('by %s', (_argument, naming) => {
  test.each(insiders)(
    'a private member, a removed field or one that is no reference, named by %s, is refused like a missing one',
    async (kind) => {
      for (const field of ['_owner', '_acl', 'gone', 'heading']) {
        const { text } = await expectAlike(sites.ask(kind), naming, field, 'absent');
        expect([field, text]).toEqual([field, expect.stringMatching(/"bad_request"|"BAD_USER_INPUT"/)]);
      }
    },
  );
});

describe.each(Object.entries(onShown))('by %s', (_argument, naming) => {
  test.each(insiders)('a fixed member or a removed field named by %s is refused like a missing field', async (kind) => {
    for (const field of ['_owner', '_acl', 'slug', 'gone']) {
      const { text } = await expectAlike(sites.ask(kind), naming, field, 'absent');
      expect(text).toContain('"BAD_USER_INPUT"');
    }
  });
});

test.each(insiders)('?only by %s may name each member, and selects those that the caller may read', async (kind) => {
  const { body } = await sites
    .ask(kind)
    .rest<Record<string, unknown>[]>('GET', '/channels/articles/entries?only=_owner,_acl');
  expect(body.length).toBeGreaterThan(0);
  for (const entry of body) {
    const isShown = !isPublic(kind) || entry['id'] === sites.entries.adas.id;
    expect(Object.keys(entry).sort()).toEqual(isShown ? ['_acl', '_owner', 'id'] : ['id']);
  }
  await expectAlike(sites.ask(kind), (name) => rest('GET', `/channels/notes/entries?only=${name}`), 'gone', 'nope');
  await expectAlike(
    sites.ask(kind),
    (name) => rest('GET', `/channels/notes/entries/note?only=${name}`),
    'gone',
    'nope',
  );
});

test('each argument that names a field has a test', () => {
  const all = { ...onField, ...onReference, ...onShown };
  const tried = Object.keys(all).map((argument) => argument.split(',')[0] ?? '');
  const due = [...argumentTable].filter(([, thing]) => thing === 'field').map(([argument]) => argument);
  // A channel's title field may have any name that entries' fields may: nothing is looked up by it.
  const exempt = ['ChannelInput.titleField', 'ChannelPatch.titleField', 'query ?only'];
  expect([...new Set([...tried, ...exempt])].sort()).toEqual(due.sort());
});
