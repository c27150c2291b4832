// Creates that come at the same time are stored by one call (src/entries/sql/create.ts): each has the answer that it would
// have had alone.
import { afterEach, expect, jest, test } from '@jest/globals';
import { Batcher } from '../../../src/base/batcher.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildSite, type TestSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { suiteWatchedApp } from '../../support/scene.ts';

const app = await suiteWatchedApp();
afterEach(() => {
  jest.restoreAllMocks();
});
const path = '/channels/things/entries';
const fields = [
  { name: 'title', type: 'string' },
  { name: 'code', type: 'string', unique: true },
  { name: 'year', type: 'integer', indexed: true },
  { name: 'when', type: 'datetime' },
];

async function buildMaster(site?: TestSite, settings: object = {}): Promise<Caller> {
  const { master } = site ?? (await buildSite(app.database.prisma));
  const caller = as(app, { token: master });
  const answer = await caller.rest('POST', '/channels', {
    body: { id: 'things', publishable: true, fields, ...settings },
  });
  expect(answer.status).toBe(201);
  return caller;
}

const createAll = (caller: Caller, bodies: readonly object[]) =>
  Promise.all(bodies.map((body) => caller.rest('POST', path, { body })));

/** Creates entries at the same time: the first ones wait for one another, so that they are stored together on a busy machine too. */
async function createJoined(caller: Caller, bodies: readonly object[]): ReturnType<typeof createAll> {
  const add = Reflect.get(Batcher.prototype, 'add');
  const ready: (() => void)[] = [];
  jest.spyOn(Batcher.prototype, 'add').mockImplementation(async function (this: Batcher<unknown, unknown>, ...item) {
    await new Promise<void>((resolve) => {
      ready.push(resolve);
      if (ready.length >= 4) for (const go of ready) go();
    });
    return add.apply(this, item);
  });
  app.statements();
  const answers = await createAll(caller, bodies);
  const calls = app.statements().filter((text) => text.includes('entryway_join_creates'));
  expect(calls.length).toBeGreaterThan(0);
  return answers;
}

test('concurrent creates are each stored as sent, found by their values, and recorded', async () => {
  const master = await buildMaster();
  const bodies = Array.from({ length: 12 }, (_, number) => ({
    title: number % 3 === 0 ? null : `Two\nlines ${number}`,
    code: `c${number}`,
    year: 2000 + number,
    _status: number % 2 === 0 ? 'published' : 'draft',
    _acl: number % 4 === 0 ? { users: { read: true } } : {},
    _owner: number % 5 === 0 ? 'ann' : null,
  }));
  const answers = await createJoined(master, bodies);
  for (const [index, answer] of answers.entries()) {
    const entry = expectEntry(answer, 201);
    expect(entry).toMatchObject(bodies[index] ?? {});
    expect((await master.rest('GET', `${path}/${entry.id}`)).body).toEqual(entry);
    const found = await master.rest<{ id: string }[]>('GET', `${path}?year=${bodies[index]?.year}`);
    expect(found.body.map(({ id }) => id)).toEqual([entry.id]);
  }
  const sorted = await master.rest<{ year: number }[]>('GET', `${path}?sort=year&per_page=50`);
  expect(sorted.body.map(({ year }) => year)).toEqual(bodies.map(({ year }) => year));
  const changes = await master.rest<{ changes: { type: string }[] }>('GET', '/changes?limit=100');
  expect(changes.body.changes.filter(({ type }) => type === 'entry.created')).toHaveLength(12);
});

test.each(['public', 'none'])(
  'the feed reports concurrent creates to those who may see them: who may read is %s',
  async (read) => {
    const site = await buildSite(app.database.prisma);
    const { session } = await buildCustomer(app.database.prisma, site.id, { id: 'ann' });
    const master = await buildMaster(site, { acl: { read } });
    const may = { read: true };
    const mayNot = { read: false };
    const acls = [{}, { '*': may }, { users: may }, { ann: may }, { '*': mayNot }, { ann: mayNot }];
    const bodies = Array.from({ length: 24 }, (_, number) => ({
      _status: number % 5 === 0 ? 'draft' : 'published',
      _publish_at: number % 8 === 4 ? '2999-01-01T00:00:00Z' : null,
      _acl: acls[number % acls.length],
      _owner: number % 7 === 0 ? 'ann' : null,
    }));
    for (const answer of await createJoined(master, bodies)) expect(answer.status).toBe(201);
    const seen: string[] = [];
    for (const caller of [as(app, { token: site.public }), as(app, { token: site.public, session }), master]) {
      const listed = await caller.rest<{ id: string }[]>('GET', `${path}?per_page=50`);
      const feed = await caller.rest<{ changes: { type: string; id: string }[] }>(
        'GET',
        '/changes?types=entry.created',
      );
      const ids = listed.body.map(({ id }) => id).sort();
      expect(ids).not.toEqual([]);
      expect(feed.body.changes.map(({ id }) => id).sort()).toEqual(ids);
      seen.push(ids.join());
    }
    // Each of the three sees other entries.
    expect(new Set(seen).size).toBe(3);
  },
);

test('concurrent creates with one title have slugs of their own', async () => {
  const answers = await createJoined(
    await buildMaster(),
    Array.from({ length: 16 }, () => ({ title: 'Same' })),
  );
  const slugs = answers.map((answer) => expectEntry(answer, 201).slug);
  expect(new Set(slugs).size).toBe(16);
  expect(slugs).toContain('same');
});

test('of concurrent creates with one unique value, one succeeds; the others fail alone', async () => {
  const master = await buildMaster();
  const claims = [{ code: 'a' }, { code: 'a' }, { code: 'b' }, { code: 'a' }, { title: 'without' }];
  const answers = await createAll(master, claims);
  const statuses = answers.map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(3);
  expect([statuses[2], statuses[4]]).toEqual([201, 201]);
  for (const refused of answers.filter(({ status }) => status !== 201)) expectProblem(refused, 'conflict', ['code']);
});

test('invalid concurrent creates are refused, and the others are stored', async () => {
  const answers = await createAll(await buildMaster(), [{ title: 'a' }, { year: 'x' }, { title: 'b' }, { nothing: 1 }]);
  expect(answers.map(({ status }) => status)).toEqual([201, 422, 201, 422]);
});
