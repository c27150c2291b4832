// What is hidden answers like what is absent, byte for byte but for the request's id, by whichever argument it is named,
// and from the same statements, so that neither words nor time tell them apart: the rows of test/once/doors/arguments.ts
// that name a channel, an entry or a place.
import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { send } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { forgedCursor } from '../../support/cursors.ts';
import { tellingOf } from '../../support/expect.ts';
import { buildEntries, buildSites, names, rights, type Name } from '../../support/sites.ts';
import { expectAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { suiteWatchedApp } from '../../support/scene.ts';
import { argumentTable } from './arguments.ts';

const app = await suiteWatchedApp();
const sites = await buildSites(app);
/** Entries that are asked to be written, and never are. */
const forms = await buildEntries(app, sites.here.forms);
/** One of the other site that anybody may read and write there. */
const tempting = await buildEntry(app.database.prisma, sites.there.forms, {
  acl: { '*': { read: true, update: true, delete: true } },
});
await buildReferring();

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
  'path :channel, changes': (id) => rest('GET', `/channels/${id}/changes`),
  'path :channel, create': (id) => rest('POST', `/channels/${id}/entries`, { body: { title: 'New' } }),
  'path :channel, bulk': (id) =>
    rest('POST', `/channels/${id}/entries/bulk`, { body: { operations: [{ op: 'create', data: {} }] } }),
  'path :channel, fetch': (id) => rest('GET', `/channels/${id}/entries/open`),
  'path :channel, update': (id) => rest('PATCH', `/channels/${id}/entries/open`, { body: {} }),
  'path :channel, delete': (id) => rest('DELETE', `/channels/${id}/entries/open`),
  'path :channel, of itself': (id) => rest('GET', `/channels/${id}`),
  'path :channel, rights': (id) => rest('GET', `/channels/${id}/rights`),
  'path :channel, rights on an entry': (id) => rest('GET', `/channels/${id}/rights?entry=open`),
  'path :channel, previewed': (id) => rest('GET', `/channels/${id}/acl-preview?read=none`),
  'path :channel, explained': (id) => rest('GET', `/channels/${id}/entries/open/access?as=anonymous`),
  'path :channel, changed': (id) => rest('PATCH', `/channels/${id}`, { body: { name: 'x' } }),
  'path :channel, dropped': (id) => rest('DELETE', `/channels/${id}?confirm=${id}`),
  'query ?confirm, of a change': (id) =>
    rest('PATCH', `/channels/articles?confirm=${id}`, { body: { publishable: false } }),
  'query ?confirm, of a deletion': (id) => rest('DELETE', `/channels/forms?confirm=${id}`),
  'Query.channel(id)': (id) => graphql(`{ channel(id: "${id}") { id } }`),
  'Query.accessExplanation(channel)': (id) =>
    graphql(`{ accessExplanation(channel: "${id}", id: "open", as: { anonymous: true }) { read { allowed } } }`),
  'Query.channelAclPreview(channel)': (id) => graphql(`{ channelAclPreview(channel: "${id}", acl: {}) { exact } }`),
  'Query.rights(channel)': (id) => graphql(`{ rights(channel: "${id}") { create } }`),
  'Query.entries(channel)': (id) => graphql(`{ entries(channel: "${id}") { totalCount } }`),
  'Query.changes(channel)': (id) => graphql(`{ changes(channel: "${id}") { nodes { id } } }`),
  'Subscription.changes(channel)': (id) => subscription(`channel: "${id}"`),
  'Query.entry(channel)': (id) => graphql(`{ entry(channel: "${id}", id: "open") { id } }`),
  'Mutation.createEntry(channel)': (id) => graphql(`mutation { createEntry(channel: "${id}", input: {}) { id } }`),
  'Mutation.updateEntry(channel)': (id) =>
    graphql(`mutation { updateEntry(channel: "${id}", id: "open", input: {}) { id } }`),
  'Mutation.deleteEntry(channel)': (id) => graphql(`mutation { deleteEntry(channel: "${id}", id: "open") }`),
  'path :channel, publish': (id) => rest('POST', `/channels/${id}/entries/open/publish`),
  'path :channel, unpublish': (id) => rest('POST', `/channels/${id}/entries/open/unpublish`),
  'Mutation.publishEntry(channel)': (id) => graphql(`mutation { publishEntry(channel: "${id}", id: "open") { id } }`),
  'Mutation.unpublishEntry(channel)': (id) =>
    graphql(`mutation { unpublishEntry(channel: "${id}", id: "open") { id } }`),
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

/** A stream that a refusal ends at once. */
function subscription(argument: string): Ask {
  const query = `subscription { changes(${argument}) { id } }`;
  return rest('POST', '/graphql/stream', { body: { query }, headers: { Accept: 'text/event-stream' } });
}

describe.each(Object.entries(onChannel))('a channel of another site, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test.each([...kinds, 'master'])('a channel of another site answers %s like a missing one', async (kind) => {
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
  'query ?entry': (id) => rest('GET', `/channels/articles/rights?entry=${id}`),
  'Query.rights(id)': (id) => graphql(`{ rights(channel: "articles", id: "${id}") { update } }`),
  'EntryInput.fields': (id) =>
    graphql(`mutation { createEntry(channel: "notes", input: { fields: { links: ["${id}"] } }) { fields } }`),
};
const writing: Requests = {
  'path :entry, put': (id) => rest('PUT', `/channels/forms/entries/${id}`, { body: { title: 'x', _status: 5 } }),
  'path :entry, patch': (id) => rest('PATCH', `/channels/forms/entries/${id}`, { body: { slug: 'No Slug' } }),
  'path :entry, delete': (id) => rest('DELETE', `/channels/forms/entries/${id}`),
  'header if-match': (id) => rest('DELETE', `/channels/forms/entries/${id}`, { headers: { 'If-Match': '"1.x"' } }),
  'header if-match, any': (id) =>
    rest('PUT', `/channels/forms/entries/${id}`, { body: { title: 'x' }, headers: { 'If-Match': '*' } }),
  'header if-match, stale': (id) =>
    rest('PATCH', `/channels/forms/entries/${id}`, { body: {}, headers: { 'If-Match': '"9.x"' } }),
  'Mutation.updateEntry(id)': (id) =>
    graphql(`mutation { updateEntry(channel: "forms", id: "${id}", input: { slug: "No Slug" }) { id } }`),
  'Mutation.updateEntry(ifVersion)': (id) =>
    graphql(`mutation { updateEntry(channel: "forms", id: "${id}", ifVersion: 1, input: {}) { id } }`),
  'path :entry, publish': (id) =>
    rest('POST', `/channels/forms/entries/${id}/publish`, { body: { entry: { slug: 'No Slug' } } }),
  'path :entry, unpublish': (id) => rest('POST', `/channels/forms/entries/${id}/unpublish`),
  'Mutation.publishEntry(id)': (id) => graphql(`mutation { publishEntry(channel: "forms", id: "${id}") { id } }`),
  'Mutation.publishEntry(ifVersion)': (id) =>
    graphql(`mutation { publishEntry(channel: "forms", id: "${id}", ifVersion: 9) { id } }`),
  'Mutation.unpublishEntry(id)': (id) => graphql(`mutation { unpublishEntry(channel: "forms", id: "${id}") { id } }`),
  'Mutation.unpublishEntry(ifVersion)': (id) =>
    graphql(`mutation { unpublishEntry(channel: "forms", id: "${id}", ifVersion: 9) { id } }`),
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
  const elsewhere = kind === 'elsewhere' ? [] : [sites.theirs, tempting];
  // Of the site, but of another channel; and of another site.
  const others = [...(channel === 'articles' ? [] : [sites.entries.open]), ...elsewhere];
  return [...names.filter(isHidden).map((name) => rows[name]), ...others].flatMap((row): [string, string][] => [
    [row.id, absent.id],
    [row.shortId, absent.shortId],
    [row.slug, absent.slug],
  ]);
}

/** All that an answer tells, with the name that was asked for taken out, and the statements on entries that it took. */
async function toldOf(kind: string, ask: Ask, name: string): Promise<object> {
  app.statements();
  const { text, ...rest } = tellingOf(await ask(sites.ask(kind)));
  // The process's own look for publications that are due may come between.
  const own = (statement: string): boolean => /\bentries\b/.test(statement) && !statement.includes('NOT e.announced');
  const statements = app.statements().filter(own);
  return { ...rest, text: String(text).replaceAll(name, 'NAME'), statements };
}

const byArgument = [
  ...Object.entries(onEntry).map(([argument, naming]) => [argument, naming, 'articles'] as const),
  ...Object.entries(writing).map(([argument, naming]) => [argument, naming, 'forms'] as const),
];
describe.each(byArgument)('V5: a hidden entry, by %s', (argument, naming, channel) => {
  tried.add(argument.split(',')[0] ?? '');
  test.each(kinds)('a hidden entry answers %s like a missing one', async (kind) => {
    const expected = new Map<string, object>();
    for (const name of Object.values(absent)) expected.set(name, await toldOf(kind, naming(name), name));
    const hidden = hiddenNames(kind, channel);
    expect(hidden.length).toBeGreaterThan(2);
    for (const [name, alike] of hidden) {
      expect([name, await toldOf(kind, naming(name), name)]).toEqual([name, expected.get(alike)]);
    }
  });
});

/** Explanations tell of each entry of the caller's own site, even of one that the caller itself may not read. */
const explaining: Requests = {
  'path :entry, access': (id) => rest('GET', `/channels/articles/entries/${id}/access?as=anonymous`),
  'Query.accessExplanation(id)': (id) =>
    graphql(`{ accessExplanation(channel: "articles", id: "${id}", as: { anonymous: true }) { read { allowed } } }`),
};

describe.each(Object.entries(explaining))('an entry of another site, by %s', (argument, naming) => {
  tried.add(argument.split(',')[0] ?? '');
  test.each([...kinds.slice(0, -1), 'master'])(
    'an entry of another site answers %s like a missing one',
    async (kind) => {
      for (const name of [sites.theirs.id, sites.theirs.shortId, tempting.id]) {
        await expectAlike(sites.ask(kind), naming, name, name === sites.theirs.shortId ? absent.shortId : absent.id);
      }
    },
  );
  test('an entry of the site answers a public token, which may ask for no explanation, like a missing one', async () => {
    for (const kind of ['public', 'public+ada']) {
      await expectAlike(sites.ask(kind), naming, sites.entries.open.id, absent.id);
    }
  });
});

test('the requests for hidden entries changed none of them', async () => {
  for (const { siteId, id } of [...Object.values(forms), sites.theirs, tempting]) {
    const row = await app.database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
    expect(row?.version).toBe(1);
  }
});

test('HEAD of a hidden entry equals HEAD of a missing one', async () => {
  const head = (id: string) =>
    send(app, 'HEAD', `/channels/articles/entries/${id}`, {
      headers: { Authorization: `Bearer ${sites.here.site.public}` },
    });
  const nothing = await head(absent.id);
  expect([nothing.status, nothing.text]).toEqual([404, '']);
  for (const { id } of [sites.entries.closed, sites.entries.draft, sites.theirs]) {
    const answer = await head(id);
    expect(tellingOf(answer)).toEqual(tellingOf(nothing));
    expect(answer.headers.get('content-length')).toBe(nothing.headers.get('content-length'));
  }
});

describe('a cursor', () => {
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

  test('a cursor of another site’s list answers like a cursor of no list', async () => {
    const theirs = await page('elsewhere', 'articles');
    const none = forgedCursor(theirs, ([, place]) => ['no-list-0', place]);
    for (const kind of kinds.slice(0, -1)) {
      await expectAlike(sites.ask(kind), entriesAfter, theirs, none);
      const { status } = await expectAlike(sites.ask(kind), restAfter, theirs, none);
      expect([kind, status]).toEqual([kind, 400]);
    }
    const customers = await cursorOf('elsewhere', 'customers');
    const noCustomers = forgedCursor(customers, ([, place]) => ['no-list-0', place]);
    for (const kind of ['master', 'public']) await expectAlike(sites.ask(kind), customersAfter, customers, noCustomers);
    const membersAfter = (cursor: string): Ask => graphql(`{ members(after: "${cursor}") { nodes { user } } }`);
    const members = await cursorOf('elsewhere', 'members');
    const noMembers = forgedCursor(members, ([, place]) => ['no-list-0', place]);
    for (const kind of ['master', 'user', 'public']) {
      await expectAlike(sites.ask(kind), membersAfter, members, noMembers);
    }
    const ownHook = sites.here.webhook.id;
    const theirHook = sites.there.webhook.id;
    const deliveriesAfter = (cursor: string): Ask =>
      graphql(`{ webhookDeliveries(webhook: "${ownHook}", after: "${cursor}") { nodes { id } } }`);
    const deliveries = await cursorOf('elsewhere', `webhookDeliveries(webhook: "${theirHook}")`);
    const noDeliveries = forgedCursor(deliveries, ([, place]) => ['no-list-0', place]);
    for (const kind of ['master', 'public']) {
      await expectAlike(sites.ask(kind), deliveriesAfter, deliveries, noDeliveries);
    }
    const recordsAfter = (cursor: string): Ask => graphql(`{ auditLog(after: "${cursor}") { nodes { id } } }`);
    const records = await cursorOf('elsewhere', 'auditLog');
    const noRecords = forgedCursor(records, ([, place]) => ['no-list-0', place]);
    for (const kind of ['master', 'public']) await expectAlike(sites.ask(kind), recordsAfter, records, noRecords);
    const linked = await cursorOf('elsewhere', 'entry(channel: "notes", id: "note") { references(field: "links")', '}');
    const noLinks = forgedCursor(linked, ([, place]) => ['no-list-0', place]);
    for (const kind of kinds.slice(0, -1)) await expectAlike(sites.ask(kind), linksAfter, linked, noLinks);
    const places = ['query ?cursor', 'Query.entries(after)', 'Query.customers(after)', 'Entry.references(after)'];
    tried.add('Query.members(after)');
    for (const argument of [...places, 'Query.webhookDeliveries(after)', 'Query.auditLog(after)']) tried.add(argument);
  });

  test('a cursor of another site’s feed answers like a cursor of no feed', async () => {
    const { body } = await sites.ask('elsewhere').rest<{ cursor: string }>('GET', '/changes?after=now');
    const none = randomBytes(16).toString('base64url');
    const changesAfter = (cursor: string): Ask => rest('GET', `/changes?after=${cursor}`);
    const streamAfter = (cursor: string): Ask =>
      rest('GET', '/changes', { headers: { Accept: 'text/event-stream', 'Last-Event-ID': cursor } });
    const nodesAfter = (cursor: string): Ask => graphql(`{ changes(after: "${cursor}") { nodes { id } } }`);
    for (const kind of kinds.slice(0, -1)) {
      const { status } = await expectAlike(sites.ask(kind), changesAfter, body.cursor, none);
      expect([kind, status]).toEqual([kind, 400]);
      await expectAlike(sites.ask(kind), nodesAfter, body.cursor, none);
      await expectAlike(sites.ask(kind), (cursor) => subscription(`after: "${cursor}"`), body.cursor, none);
      await expectAlike(sites.ask(kind), streamAfter, body.cursor, none);
    }
    const places = ['query ?after', 'Query.changes(after)', 'Subscription.changes(after)', 'header last-event-id'];
    for (const argument of places) tried.add(argument);
  });

  test('a cursor at a hidden entry of a reference answers like one at no entry', async () => {
    const whole = await cursorOf('master', 'entry(channel: "notes", id: "note") { references(field: "links")', '}');
    for (const kind of kinds.slice(0, -1)) {
      const { reads = [] } = rights[kind] ?? {};
      for (const name of names.filter((each) => !reads.includes(each))) {
        for (const index of [0, 1, 9]) {
          const of = (id: string): string => forgedCursor(whole, ([list]) => [list, [index, id]]);
          await expectAlike(sites.ask(kind), linksAfter, of(sites.entries[name].id), of(absent.id));
        }
      }
    }
  });

  test('a cursor at a hidden entry answers like one at no entry, and the page after it has visible entries alone', async () => {
    // All four were made within a moment: this is the place of each, and one beside it where there is nothing.
    const { data } = await sites
      .ask('master')
      .gql<{ entries: { edges: { cursor: string; node: { slug: string } }[] } }>(
        '{ entries(channel: "articles") { edges { cursor node { slug } } } }',
      );
    for (const kind of kinds.slice(0, -1)) {
      const { reads = [] } = rights[kind] ?? {};
      for (const { cursor, node } of data.entries.edges.filter((edge) => !reads.includes(edge.node.slug as Name))) {
        const beside = forgedCursor(cursor, ([list, [time, id]]) => [
          list,
          [time, String(id).replace(/.$/, (digit) => (digit === '0' ? '1' : '0'))],
        ]);
        const { text } = await expectAlike(sites.ask(kind), entriesAfter, cursor, beside);
        expect(text).not.toContain(node.slug);
        const listed = await expectAlike(sites.ask(kind), restAfter, cursor, beside);
        expect([listed.status, listed.text.includes(`"slug":"${node.slug}"`)]).toEqual([200, false]);
      }
    }
  });
});

test('each argument that names a channel, an entry or a cursor has a test', () => {
  const things = ['channel', 'entry', 'place'];
  const due = [...argumentTable].filter(([, thing]) => things.includes(thing)).map(([argument]) => argument);
  expect([...tried].sort()).toEqual(due.sort());
});
