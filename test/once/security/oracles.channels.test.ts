// What a public token's caller is told of a channel that it may neither read nor create in (docs/contract.md §3.8): an entry
// in it answers like one of a channel that does not exist, and its lists do not tell its fields.
import { describe, expect, test } from '@jest/globals';
import { expectAlike, graphql, rest, type Ask } from '../../support/alike.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const db = app.database.prisma;
const site = await buildSite(db);
const { session } = await buildCustomer(db, site.id, { id: 'ada' });

const closed = { createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none' } as const;
const fields = [{ name: 'secret_field', type: 'string' }] as const;

const hidden = await buildChannel(db, site.id, { id: 'hidden', ...closed, fields: [...fields] });
const { id } = await buildEntry(db, hidden, { slug: 'one', data: { secret_field: 'a' } });
// Its update scope lets everybody in, but nobody sees it.
const writable = await buildChannel(db, site.id, { id: 'writes', ...closed, updateScope: 'public', fields: [] });
await buildEntry(db, writable, { slug: 'one', data: {} });
await buildChannel(db, site.id, { id: 'members', ...closed, readScope: 'private' });
await buildChannel(db, site.id, { id: 'forms', ...closed, createScope: 'public' });
const granted = await buildChannel(db, site.id, { id: 'granted', ...closed });
await buildEntry(db, granted, { slug: 'shared', acl: { 'id:ada': { read: true } }, data: {} });
await buildEntry(db, granted, { slug: 'other', data: {} });
const open = await buildChannel(db, site.id, {
  id: 'open',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'friend', type: 'reference', channel: 'hidden' },
    { name: 'lost', type: 'reference', channel: 'absent' },
  ],
});
await buildEntry(db, open, { slug: 'one', data: { title: 'One', friend: id, lost: id } });

const anonymous = as(app, { token: site.public });
const ada = as(app, { token: site.public, session });
const master = as(app, { token: site.master });

type Probe = [string, (channel: string) => Ask];

const probe = (method: string, tail: string, body?: unknown): Probe => [
  `${method} ${tail} ${body === undefined ? '' : JSON.stringify(body)}`,
  (channel) => rest(method, `/channels/${channel}/entries${tail}`, body === undefined ? {} : { body }),
];
const document = (of: (channel: string) => string): Probe => [of('…'), (channel) => graphql(of(channel))];

const probes: Probe[] = [
  ...['/one', '/two', '/one?only=secret_fiel', '/one?include=secret_field'].map((tail) => probe('GET', tail)),
  ...['PUT', 'PATCH'].flatMap((method) => ['/one', '/two'].map((tail) => probe(method, tail, { secret_fiel: 1 }))),
  probe('DELETE', '/one'),
  document((channel) => `{ channel(id: "${channel}") { id fields { name } } }`),
  document((channel) => `{ entry(channel: "${channel}", id: "one") { id } }`),
  document((channel) => `mutation { updateEntry(channel: "${channel}", id: "one", input: {}) { id } }`),
  document((channel) => `mutation { deleteEntry(channel: "${channel}", id: "one") }`),
];

test.each(probes)(
  'a request on an entry of an unknown channel answers like one in a missing channel: %s',
  async (_name, naming) => {
    for (const caller of [anonymous, ada]) await expectAlike(caller, naming, 'hidden', 'absent');
  },
);

const elsewhere = [probe('PATCH', '/two', { n: 1 }), probe('GET', '/one'), probe('DELETE', '/one')];
test.each(elsewhere)(
  'a request on an entry of an unknown channel whose scope allows updates answers like one in a missing channel: %s',
  async (_name, naming) => {
    await expectAlike(anonymous, naming, 'writes', 'absent');
  },
);

test.each([
  '?NAME=a',
  '?NAME.gt=a',
  '?sort=NAME',
  '?only=NAME',
  '?include=NAME',
  '/count?NAME=a',
  `?where=${encodeURIComponent('{"NAME": {"in": [1]}}')}`,
])('a list of an unknown channel is empty, whether or not a named field exists: %s', async (tail) => {
  for (const name of ['secret_field', 'secret_fiel']) {
    const answer = await anonymous.rest('GET', `/channels/hidden/entries${tail.replaceAll('NAME', name)}`);
    expect([answer.status, answer.body]).toEqual([200, tail.startsWith('/count') ? { count: 0 } : []]);
  }
});

test('a create in an unknown channel is refused', async () => {
  expectProblem(await anonymous.rest('POST', '/channels/hidden/entries', { body: { secret_fiel: 'x' } }), 'forbidden');
});

test('an update that the scope allows is done in an unknown channel, alone and in a bulk', async () => {
  expectEntry(await anonymous.rest('PATCH', '/channels/writes/entries/one', { body: { n: 1 } }));
  const operations = [
    { op: 'update', id: 'one', data: { n: 2 } },
    { op: 'update', id: 'two', data: {} },
  ];
  const bulk = await anonymous.rest<{ results: { status: number }[] }>('POST', '/channels/writes/entries/bulk', {
    body: { operations },
  });
  expect(bulk.body.results.map(({ status }) => status)).toEqual([200, 404]);
});

describe('the answer to an update of an entry that the caller does not see has no channel', () => {
  const path = '/channels/writes/entries';

  test('the answer to an update of a hidden entry has no channel, alone, in a bulk and repeated with its key', async () => {
    const single = await anonymous.rest('PATCH', `${path}/one`, { body: { n: 3 } });
    expect(expectEntry(single)).toMatchObject({ n: 3, channel: null });
    const operations = [{ op: 'update', id: 'one', data: { n: 4 } }];
    const ask = () =>
      anonymous.rest<{ results: { entry: object }[] }>('POST', `${path}/bulk`, {
        body: { operations },
        headers: { 'Idempotency-Key': 'blind' },
      });
    for (const { body } of [await ask(), await ask()]) {
      expect(body.results.map(({ entry }) => entry)).toMatchObject([{ n: 4, channel: null }]);
    }
  });

  test('the answer to an owner’s update of an unknown channel’s entry has its members, and no channel', async () => {
    await buildEntry(db, writable, { slug: 'adas', owner: 'ada', data: { note: 'own' } });
    const answer = await ada.rest('PATCH', `${path}/adas`, { body: {} });
    expect(expectEntry(answer)).toMatchObject({ note: 'own', _owner: 'ada', channel: null });
  });

  test('the answer in GraphQL has the channel only for a master token and for viewers of a granted entry', async () => {
    const parts = 'slug channel { id publishable fields { name } }';
    const update = `mutation { updateEntry(channel: "writes", id: "one", input: { fields: { n: 5 } }) { ${parts} } }`;
    const bulk = `mutation { bulkEntries(channel: "writes", operations: [{ op: UPDATE, id: "one", input: { fields: { n: 6 } } }]) {
      results { entry { ${parts} } } } }`;
    const blind = { slug: 'one', channel: null };
    expect(expectData(await anonymous.gql(update))).toEqual({ updateEntry: blind });
    expect(expectData(await anonymous.gql(bulk))).toEqual({ bulkEntries: { results: [{ entry: blind }] } });
    const whole = {
      slug: 'one',
      channel: { id: 'writes', publishable: expect.any(Boolean), fields: expect.any(Array) },
    };
    expect(expectData(await master.gql(update))).toEqual({ updateEntry: whole });
    const grant = (acl: object) => master.rest('PATCH', `${path}/one`, { body: { _acl: acl, _status: 'published' } });
    expectEntry(await grant({ '*': { read: true } }));
    expect(expectData(await anonymous.gql(update))).toEqual({ updateEntry: whole });
    expectEntry(await grant({}));
  });
});

describe('known channels', () => {
  const listed = async (caller: typeof ada): Promise<string[]> => {
    const answer = await caller.gql<{ channels: { id: string }[] }>('{ channels { id fields { name } } }');
    return expectData(answer).channels.map(({ id: each }) => each);
  };

  test('`channels` lists the channels whose scopes let the caller read or create', async () => {
    expect(await listed(anonymous)).toEqual(['forms', 'open']);
    expect(await listed(ada)).toEqual(['members', 'forms', 'open']);
    expect(await listed(master)).toEqual(['hidden', 'writes', 'members', 'forms', 'granted', 'open']);
    const masked = await as(app, { token: site.master }).gql(
      '{ channel(id: "hidden") { id } }',
      {},
      { path: '/graphql?use_acl=1' },
    );
    expectData(masked);
    expect(masked.data).toEqual({ channel: { id: 'hidden' } });
  });

  test('a granted entry is visible, and so is its channel by that entry', async () => {
    expect((await anonymous.rest('GET', '/channels/granted/entries')).body).toEqual([]);
    const list = await ada.rest<{ slug: string }[]>('GET', '/channels/granted/entries');
    expect(list.body.map(({ slug }) => slug)).toEqual(['shared']);
    expect((await ada.rest('GET', '/channels/granted/entries/count')).body).toEqual({ count: 1 });
    expectEntry(await ada.rest('GET', '/channels/granted/entries/shared'));
    expectProblem(await ada.rest('GET', '/channels/granted/entries/other'), 'not_found');
    const { data } = await ada.gql(
      '{ channel(id: "granted") { id } entry(channel: "granted", id: "shared") { channel { id name acl { read } } } }',
    );
    expect(data).toEqual({ channel: null, entry: { channel: { id: 'granted', name: 'A channel', acl: null } } });
  });

  test('a reference field does not name a channel that is unknown to the caller', async () => {
    const query = '{ channel(id: "open") { fields { name channel } } }';
    const channels = { title: null, friend: null, lost: null };
    const shown = async (caller: typeof ada): Promise<object> => {
      const { data } = await caller.gql<{ channel: { fields: { name: string; channel: string }[] } }>(query);
      return Object.fromEntries(data.channel.fields.map(({ name, channel }) => [name, channel]));
    };
    expect(await shown(anonymous)).toEqual(channels);
    expect(await shown(master)).toEqual({ ...channels, friend: 'hidden', lost: 'absent' });
  });

  test.each([
    '?NAME.secret_fiel=x',
    '?NAME.secret_field=x',
    '?NAME=one',
    '?include=NAME.secret_field',
    '/one?include=NAME.secret_field',
  ])('a reference into an unknown channel answers like one into a deleted channel: %s', async (tail) => {
    const naming = (name: string): Ask => rest('GET', `/channels/open/entries${tail.replaceAll('NAME', name)}`);
    const answers = [];
    for (const name of ['friend', 'lost']) {
      const { status, body } = await naming(name)(anonymous);
      answers.push([status, Array.isArray(body) ? body.length : { ...(body as object), request_id: '' }, name]);
    }
    expect(JSON.stringify(answers[0]).replaceAll('friend', 'lost')).toBe(
      JSON.stringify(answers[1]).replaceAll('friend', 'lost'),
    );
  });
});
