// What is hidden answers like what is absent, byte for byte but for the request's id, by whichever argument it is named:
// the rows of test/once/doors/arguments.ts that name a channel, an entry or a place.
import { createHash, randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { buildEntries, buildSites, names, rights, type Name, type Sites } from '../../support/sites.ts';
import { expectAlike, expectAllAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { argumentTable } from './arguments.ts';

let app: TestApp;
let sites: Sites;
/** Entries that are asked to be written, and never are. */
let forms: Awaited<ReturnType<typeof buildEntries>>;
beforeAll(async () => {
  app = await startApp();
  sites = await buildSites(app);
  forms = await buildEntries(app, sites.here.forms);
  await buildReferring();
});
afterAll(() => app.close());

/** In each site a channel whose one entry refers to articles. */
async function buildReferring(): Promise<void> {
  const fields = [
    { name: 'author', type: 'reference', channel: 'articles' },
    { name: 'links', type: 'references', channel: 'articles' },
  ] as const;
  for (const [place, links] of [
    [sites.here, names.map((name) => sites.entries[name].id)],
    [sites.there, [sites.theirs.id]],
  ] as const) {
    const rules = { id: 'notes', createScope: 'public' as const, fields: [...fields] };
    const notes = await buildChannel(app.database.prisma, place.site.id, rules);
    await buildEntry(app.database.prisma, notes, { slug: 'note', data: { links } });
  }
}

const kinds = ['public', 'public+ada', 'user', 'user+ada', 'master/acl', 'master+ada/acl', 'elsewhere'];
const tried = new Set<string>();

/** Requests that name something, by the argument that they name it with. */
type Requests = Readonly<Record<string, (name: string) => Ask>>;

/** Requests on a channel, as every kind of caller that gets in. */
const onChannel: Requests = {
  'path :channel, list': (id) => rest('GET', `/channels/${id}/entries`),
  'path :channel, count': (id) => rest('GET', `/channels/${id}/entries/count`),
  'path :channel, create': (id) => rest('POST', `/channels/${id}/entries`, { body: { title: 'New' } }),
  'path :channel, bulk': (id) =>
    rest('POST', `/channels/${id}/entries/bulk`, { body: { operations: [{ op: 'create', data: {} }] } }),
  'path :channel, fetch': (id) => rest('GET', `/channels/${id}/entries/open`),
  'path :channel, update': (id) => rest('PATCH', `/channels/${id}/entries/open`, { body: {} }),
  'path :channel, delete': (id) => rest('DELETE', `/channels/${id}/entries/open`),
  'Query.channel(id)': (id) => graphql(`{ channel(id: "${id}") { id } }`),
  'Query.entries(channel)': (id) => graphql(`{ entries(channel: "${id}") { totalCount } }`),
  'Query.entry(channel)': (id) => graphql(`{ entry(channel: "${id}", id: "open") { id } }`),
  'Mutation.createEntry(channel)': (id) => graphql(`mutation { createEntry(channel: "${id}", input: {}) { id } }`),
  'Mutation.updateEntry(channel)': (id) =>
    graphql(`mutation { updateEntry(channel: "${id}", id: "open", input: {}) { id } }`),
  'Mutation.deleteEntry(channel)': (id) => graphql(`mutation { deleteEntry(channel: "${id}", id: "open") }`),
  'Mutation.bulkEntries(channel)': (id) =>
    graphql(
      `mutation { bulkEntries(channel: "${id}", operations: [{ op: CREATE, input: {} }]) { results { status } } }`,
    ),
  'Mutation.updateChannel(id)': (id) => graphql(`mutation { updateChannel(id: "${id}", input: { name: "x" }) { id } }`),
  'Mutation.deleteChannel(id)': (id) => graphql(`mutation { deleteChannel(id: "${id}", confirm: "${id}") }`),
  'Mutation.deleteChannel(confirm)': (id) => graphql(`mutation { deleteChannel(id: "forms", confirm: "${id}") }`),
  'Mutation.updateChannel(confirm)': (id) =>
    graphql(`mutation { updateChannel(id: "articles", confirm: "${id}", input: { publishable: false }) { id } }`),
  'FieldInput.channel': (id) => {
    const field = `{ name: "ref", type: REFERENCE, channel: "${id}" }`;
    return graphql(`mutation { updateChannel(id: "forms", input: { fields: [${field}] }) { id } }`);
  },
};

describe.each(Object.entries(onChannel))('a channel of another site, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test.each([...kinds, 'master'])('%s', async (kind) => {
    const hidden = sites[kind === 'elsewhere' ? 'here' : 'there'].ownChannel;
    await expectAlike(sites.ask(kind), naming, hidden, 'only-nowhere');
  });
});

/** Requests on an entry. What is right about them besides the name, such as its version, makes no difference. */
const onEntry: Requests = {
  'path :entry, fetch': (id) => rest('GET', `/channels/articles/entries/${id}`),
  'header if-none-match': (id) => {
    return rest('GET', `/channels/articles/entries/${id}`, { headers: { 'If-None-Match': '*' } });
  },
  'Query.entry(id)': (id) => graphql(`{ entry(channel: "articles", id: "${id}") { id } }`),
  'EntryInput.fields': (id) =>
    graphql(`mutation { createEntry(channel: "notes", input: { fields: { links: ["${id}"] } }) { fields } }`),
};
const writing: Requests = {
  'path :entry, put': (id) => rest('PUT', `/channels/forms/entries/${id}`, { body: { title: 'x', _status: 5 } }),
  'path :entry, patch': (id) => rest('PATCH', `/channels/forms/entries/${id}`, { body: { slug: 'No Slug' } }),
  'path :entry, delete': (id) => rest('DELETE', `/channels/forms/entries/${id}`),
  'header if-match': (id) => rest('DELETE', `/channels/forms/entries/${id}`, { headers: { 'If-Match': '"1.x"' } }),
  'header if-match, stale': (id) =>
    rest('PATCH', `/channels/forms/entries/${id}`, { body: {}, headers: { 'If-Match': '"9.x"' } }),
  'Mutation.updateEntry(id)': (id) =>
    graphql(`mutation { updateEntry(channel: "forms", id: "${id}", input: { slug: "No Slug" }) { id } }`),
  'Mutation.updateEntry(ifVersion)': (id) =>
    graphql(`mutation { updateEntry(channel: "forms", id: "${id}", ifVersion: 1, input: {}) { id } }`),
  'path :entry, bulk': (id) => bulkOn({ op: 'update', id, data: { slug: 'No Slug' } }),
  'header if-match, bulk': (id) => bulkOn({ op: 'delete', id, if_match: '"9.x"' }),
  'EntryOperationInput.id': (id) => bulkWith(`{ op: UPDATE, id: "${id}", input: { slug: "No Slug" } }`),
  'EntryOperationInput.ifVersion': (id) => bulkWith(`{ op: DELETE, id: "${id}", ifVersion: 9 }`),
  'Mutation.deleteEntry(id)': (id) => graphql(`mutation { deleteEntry(channel: "forms", id: "${id}") }`),
  'Mutation.deleteEntry(ifVersion)': (id) =>
    graphql(`mutation { deleteEntry(channel: "forms", id: "${id}", ifVersion: 9) }`),
};

function bulkOn(operation: object): Ask {
  return rest('POST', '/channels/forms/entries/bulk', { body: { operations: [operation] } });
}

function bulkWith(operation: string): Ask {
  const selection = '{ results { status entry { id } error { code message } } }';
  return graphql(`mutation { bulkEntries(channel: "forms", operations: [${operation}]) ${selection} }`);
}

/** Absent names of the three shapes. */
const absent = { id: randomUUID(), shortId: 'ABCDEFGHIJ', slug: 'nowhere' };

/** Names of entries that a caller may neither read nor, where it is about to, write: each with an absent one alike. */
function hiddenNames(kind: string, channel: 'articles' | 'forms'): [string, string][] {
  const { reads = [], writes = [] } = rights[kind] ?? {};
  const isHidden = (name: Name): boolean => !reads.includes(name) && (channel === 'articles' || !writes.includes(name));
  const rows = channel === 'articles' ? sites.entries : forms;
  const elsewhere = kind === 'elsewhere' ? [] : [sites.theirs];
  // Of the site, but of another channel; and of another site.
  const others = [...(channel === 'articles' ? [] : [sites.entries.open]), ...elsewhere];
  return [...names.filter(isHidden).map((name) => rows[name]), ...others].flatMap((row): [string, string][] => [
    [row.id, absent.id],
    [row.shortId, absent.shortId],
    [row.slug, absent.slug],
  ]);
}

describe.each([
  ...Object.entries(onEntry).map(([argument, naming]) => [argument, naming, 'articles'] as const),
  ...Object.entries(writing).map(([argument, naming]) => [argument, naming, 'forms'] as const),
])('a hidden entry, by %s', (argument, naming, channel) => {
  tried.add(argument.split(',')[0] ?? '');
  test.each(kinds)('%s', async (kind) => {
    const hidden = hiddenNames(kind, channel);
    expect(hidden.length).toBeGreaterThan(2);
    await expectAllAlike(sites.ask(kind), naming, hidden);
  });
});

/** A cursor with other contents, its checksum made right. */
function forged(cursor: string, change: (parts: [string, string[]]) => unknown): string {
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8);
  const body = JSON.stringify(change(JSON.parse(Buffer.from(cursor, 'base64url').toString().slice(8))));
  return Buffer.from(digest(body) + body).toString('base64url');
}

describe('a place', () => {
  const page = (kind: string, channel: string): Promise<string> => cursorOf(kind, `entries(channel: "${channel}")`);
  async function cursorOf(kind: string, list: string, end = ''): Promise<string> {
    const { data } = await sites.ask(kind).gql(`{ it: ${list} { edges { cursor } } ${end} }`);
    return /"cursor":"([^"]+)"/.exec(JSON.stringify(data))?.[1] ?? '';
  }
  const entriesAfter = (cursor: string): Ask =>
    graphql(`{ entries(channel: "articles", after: "${cursor}") { totalCount nodes { slug } } }`);
  const linksAfter = (cursor: string): Ask =>
    graphql(
      `{ entry(channel: "notes", id: "note") { references(field: "links", after: "${cursor}") { totalCount } } }`,
    );
  const restAfter = (cursor: string): Ask => rest('GET', `/channels/articles/entries?cursor=${cursor}`);
  const customersAfter = (cursor: string): Ask => graphql(`{ customers(after: "${cursor}") { nodes { id } } }`);

  test('of another site’s list is one of no list', async () => {
    const theirs = await page('elsewhere', 'articles');
    const none = forged(theirs, ([, place]) => ['no-list-0', place]);
    for (const kind of kinds.slice(0, -1)) {
      await expectAlike(sites.ask(kind), entriesAfter, theirs, none);
      const { status } = await expectAlike(sites.ask(kind), restAfter, theirs, none);
      expect([kind, status]).toEqual([kind, 400]);
    }
    const customers = await cursorOf('elsewhere', 'customers');
    const noCustomers = forged(customers, ([, place]) => ['no-list-0', place]);
    for (const kind of ['master', 'public']) await expectAlike(sites.ask(kind), customersAfter, customers, noCustomers);
    const linked = await cursorOf('elsewhere', 'entry(channel: "notes", id: "note") { references(field: "links")', '}');
    const noLinks = forged(linked, ([, place]) => ['no-list-0', place]);
    for (const kind of kinds.slice(0, -1)) await expectAlike(sites.ask(kind), linksAfter, linked, noLinks);
    const places = ['query ?cursor', 'Query.entries(after)', 'Query.customers(after)', 'Entry.references(after)'];
    for (const argument of places) tried.add(argument);
  });

  test('of a hidden entry that is referred to is one of no entry', async () => {
    const whole = await cursorOf('master', 'entry(channel: "notes", id: "note") { references(field: "links")', '}');
    for (const kind of kinds.slice(0, -1)) {
      const { reads = [] } = rights[kind] ?? {};
      for (const name of names.filter((each) => !reads.includes(each))) {
        for (const index of [0, 1, 9]) {
          const of = (id: string): string => forged(whole, ([list]) => [list, [index, id] as unknown as string[]]);
          await expectAlike(sites.ask(kind), linksAfter, of(sites.entries[name].id), of(absent.id));
        }
      }
    }
  });

  test('of a hidden entry is one of no entry: what lies behind it passes the same predicate', async () => {
    // All four were made within a moment: this is the place of each, and one beside it where there is nothing.
    const { data } = await sites
      .ask('master')
      .gql<{ entries: { edges: { cursor: string; node: { slug: string } }[] } }>(
        '{ entries(channel: "articles") { edges { cursor node { slug } } } }',
      );
    for (const kind of kinds.slice(0, -1)) {
      const { reads = [] } = rights[kind] ?? {};
      for (const { cursor, node } of data.entries.edges.filter((edge) => !reads.includes(edge.node.slug as Name))) {
        const beside = forged(cursor, ([list, [time = '', id = '']]) => [
          list,
          [time, `${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`],
        ]);
        const { text } = await expectAlike(sites.ask(kind), entriesAfter, cursor, beside);
        expect(text).not.toContain(node.slug);
        const listed = await expectAlike(sites.ask(kind), restAfter, cursor, beside);
        expect([listed.status, listed.text.includes(`"slug":"${node.slug}"`)]).toEqual([200, false]);
      }
    }
  });
});

test('every argument that names a channel, an entry or a place was tried', () => {
  const things = ['channel', 'entry', 'place'];
  const due = [...argumentTable].filter(([, thing]) => things.includes(thing)).map(([argument]) => argument);
  expect([...tried].sort()).toEqual(due.sort());
});
