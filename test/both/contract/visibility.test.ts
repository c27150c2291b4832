// The predicate in SQL and the rules say the same: for random channels, entries and callers, what a list shows is what
// `maySee` allows, and count and fetch agree with it, through both doors.
import { expect, test } from '@jest/globals';
import { entriesOn } from '../../../src/entries/model.ts';
import type { EntryRow } from '../../../src/entries/row.ts';
import { entriesForWrite, writable } from '../../../src/entries/sql/predicate.ts';
import type { Channel, Prisma } from '../../../src/generated/prisma/client.ts';
import { type EntryAcl, maySee, mayWrite, type Scope, writeActions } from '../../../src/rules/access.ts';
import { makeViewer } from '../../../src/rules/callers.ts';
import type { Status } from '../../../src/rules/publication.ts';
import { channelRules } from '../../../src/fields/compiled.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { seeded } from '../../support/random.ts';
import { suiteApp } from '../../support/scene.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const { pick, chance } = seeded(seed);

/** Names chosen to collide: ids that look like roles and actors, and each other. */
const customers = [
  { id: 'ada', roles: ['editor', 'ada'] },
  { id: 'editor', roles: ['users'] },
  { id: 'Ada', roles: [] },
];
const actors = ['*', 'users', 'ada', 'id:ada', 'id:editor', 'editor', 'role:editor', 'role:ada', 'role:users', 'Ada'];
const scopes: Scope[] = ['public', 'shared', 'private', 'none'];
const statuses: Status[] = ['draft', 'scheduled', 'published'];
const times = [null, new Date('2020-01-01'), new Date('2999-01-01')];

function randomAcl(): EntryAcl {
  const keys = actors.filter(() => chance(0.2));
  const unique = keys.filter((key) => !keys.includes(`id:${key}`));
  return Object.fromEntries(
    unique.map((key) => [key, { read: chance(0.5), update: chance(0.5), ...(chance(0.5) && { delete: chance(0.5) }) }]),
  );
}

interface Caller {
  readonly kind: 'master' | 'public' | 'user';
  readonly customer: { id: string; roles: string[] } | null;
  readonly useAcl: boolean;
  readonly scopes: null;
  readonly credentials: Credentials;
}

const app = await suiteApp();

async function buildCallers(): Promise<{ siteId: string; callers: Caller[] }> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const user = await buildUser(db, { memberOf: [site.id] });
  const signedIn = [null, ...(await Promise.all(customers.map((each) => buildCustomer(db, site.id, each))))];
  const tokens = { master: site.master, public: site.public, user: user.token };
  const callers = (['master', 'public', 'user'] as const).flatMap((kind) =>
    signedIn.flatMap((session) =>
      (kind === 'master' ? [false, true] : [false]).map((useAcl) => ({
        kind,
        useAcl,
        scopes: null,
        customer: customers.find(({ id }) => id === session?.id) ?? null,
        credentials: { token: tokens[kind], site: site.id, ...(session && { session: session.session }) },
      })),
    ),
  );
  return { siteId: site.id, callers };
}

type ReadRules = Pick<Channel, 'readScope' | 'publishable'>;

/** What decides about reading in a channel: all that there is, so that no run leaves one out. */
const everyReadRules = scopes.flatMap((readScope) =>
  [true, false].map((publishable): ReadRules => ({ readScope, publishable })),
);

async function buildRandomEntries(siteId: string, rules: ReadRules): Promise<{ channel: Channel; rows: EntryRow[] }> {
  const db = app.database.prisma;
  const channel = await buildChannel(db, siteId, rules);
  const rows = [];
  for (let count = 0; count < 20; count += 1) {
    const publishAt = pick(times);
    const status = publishAt === null ? pick(['draft', 'published'] as const) : pick(statuses);
    const owner = pick([null, 'ada', 'Ada', 'editor', 'role:editor', '*']);
    rows.push(await buildEntry(db, channel, { status, publishAt, owner, acl: randomAcl() }));
  }
  return { channel, rows };
}

test(`list, count and fetch show each caller the entries that the rules allow (SEED=${seed})`, async () => {
  const { siteId, callers } = await buildCallers();
  let seen = 0;
  let hidden = 0;
  for (const rules of everyReadRules) {
    const { channel, rows } = await buildRandomEntries(siteId, rules);
    for (const { credentials, useAcl, ...caller } of callers) {
      const viewer = makeViewer(caller, useAcl, new Date());
      const allowed = rows.filter((row) => maySee(viewer, channelRules(channel), row));
      const expected = allowed.map(({ id }) => id).sort();
      const door = as(app, credentials);
      const path = `/channels/${channel.id}/entries`;
      const query = `use_acl=${useAcl}`;
      const list = await door.rest<{ id: string }[]>('GET', `${path}?${query}`);
      expect(list.body.map(({ id }) => id).sort()).toEqual(expected);
      expect((await door.rest('GET', `${path}/count?${query}`)).body).toEqual({ count: expected.length });
      const { data } = await door.gql<{ entries: { totalCount: number; nodes: { id: string }[] } }>(
        'query ($channel: ID!, $useAcl: Boolean!) { entries(channel: $channel, useAcl: $useAcl) { totalCount nodes { id } } }',
        { channel: channel.id, useAcl },
      );
      expect(data.entries.nodes.map(({ id }) => id).sort()).toEqual(expected);
      expect(data.entries.totalCount).toBe(expected.length);
      const row = pick(rows);
      const fetched = await door.rest('GET', `${path}/${pick([row.id, row.slug, row.shortId])}?${query}`);
      expect(fetched.status).toBe(expected.includes(row.id) ? 200 : 404);
      seen += expected.length;
      hidden += rows.length - expected.length;
    }
  }
  expect(Math.min(seen, hidden)).toBeGreaterThan(100);
});

test(`a fetch finds the entries that the rules allow, after fetches by other callers, at each time (SEED=${seed})`, async () => {
  const { siteId, callers } = await buildCallers();
  const entries = entriesOn(app.database.statements);
  const count = { found: 0, hidden: 0 };
  for (const rules of everyReadRules) {
    const { channel, rows } = await buildRandomEntries(siteId, rules);
    const anyCustomer = { kind: 'public' as const, customer: { id: null, roles: [] }, useAcl: false, scopes: null };
    for (const { useAcl, ...caller } of [...callers, anyCustomer, ...callers]) {
      const viewer = makeViewer(caller, useAcl, pick([new Date(), new Date('2019-01-01'), new Date('3000-01-01')]));
      const allowed = rows.filter((row) => maySee(viewer, channelRules(channel), row));
      for (const row of rows) {
        const key = pick([
          { by: 'id', value: row.id } as const,
          { by: 'slug', value: row.slug } as const,
          { by: 'shortId', value: row.shortId } as const,
        ]);
        const found = await entries.findVisible(channel, viewer, key);
        expect(found?.id ?? null).toBe(allowed.includes(row) ? row.id : null);
        count[found === null ? 'hidden' : 'found'] += 1;
      }
    }
  }
  expect(Math.min(count.found, count.hidden)).toBeGreaterThan(100);
});

test(`a preview shows a user token the entries visible to it and the actor, and a master token those of the actor (SEED=${seed})`, async () => {
  const { siteId, callers } = await buildCallers();
  const previewers = callers.filter(({ kind, useAcl }) => kind === 'user' || (kind === 'master' && useAcl));
  const visitors = callers.filter(({ kind }) => kind === 'public');
  let hiddenFromCaller = 0;
  for (const rules of everyReadRules) {
    const { channel, rows } = await buildRandomEntries(siteId, rules);
    const seenBy = ({ useAcl, ...caller }: Caller): string[] =>
      rows
        .filter((row) => maySee(makeViewer(caller, useAcl, new Date()), channelRules(channel), row))
        .map(({ id }) => id);
    for (const previewer of previewers) {
      const actor = pick(visitors);
      const name = actor.customer === null ? 'anonymous' : `customer:${actor.customer.id}`;
      const own = previewer.kind === 'master' ? rows.map(({ id }) => id) : seenBy(previewer);
      const expected = seenBy(actor).filter((id) => own.includes(id));
      hiddenFromCaller += seenBy(actor).length - expected.length;
      const door = as(app, previewer.credentials);
      const path = `/channels/${channel.id}/entries`;
      const query = `as=${name}&use_acl=${previewer.useAcl}`;
      const list = await door.rest<{ id: string }[]>('GET', `${path}?${query}`);
      expect(list.body.map(({ id }) => id).sort()).toEqual([...expected].sort());
      expect((await door.rest('GET', `${path}/count?${query}`)).body).toEqual({ count: expected.length });
      const row = pick(rows);
      const [fetched, explained] = [
        await door.rest('GET', `${path}/${row.slug}?${query}`),
        await door.rest('GET', `${path}/${row.slug}/access?${query}`),
      ];
      expect([fetched.status, explained.status]).toEqual([
        expected.includes(row.id) ? 200 : 404,
        own.includes(row.id) ? 200 : 404,
      ]);
    }
  }
  expect(hiddenFromCaller).toBeGreaterThan(10);
});

test(`a write finds exactly the entries that the rules let the caller write or see (SEED=${seed})`, async () => {
  const { siteId, callers } = await buildCallers();
  const db = app.database.prisma;
  const count = { may: 0, sees: 0, neither: 0 };
  for (const scope of scopes) {
    const rules = { readScope: pick(scopes), publishable: chance(0.5) };
    const { channel: built, rows } = await buildRandomEntries(siteId, rules);
    const channel = { ...built, updateScope: scope, deleteScope: pick(scopes) };
    const { acl } = channelRules(channel);
    for (const { useAcl, ...caller } of callers) {
      const viewer = makeViewer(caller, useAcl, new Date());
      for (const action of writeActions) {
        const find = async (condition: Prisma.Sql): Promise<string[]> => {
          const found = await db.$queryRaw<{ id: string }[]>`SELECT e.id::text FROM entries e
            WHERE e.site_id = ${siteId} AND e.channel_uid = ${channel.uid}::uuid AND ${condition} LIMIT 100 -- test`;
          return found.map(({ id }) => id).sort();
        };
        const ids = (chosen: EntryRow[]): string[] => chosen.map(({ id }) => id).sort();
        const may = rows.filter((row) => mayWrite(viewer.subject, action, acl, row));
        const found = rows.filter((row) => may.includes(row) || maySee(viewer, channelRules(channel), row));
        expect(await find(writable(channel, viewer, action))).toEqual(ids(may));
        expect(await find(entriesForWrite(channel, viewer, action))).toEqual(ids(found));
        count.may += may.length;
        count.sees += found.length - may.length;
        count.neither += rows.length - found.length;
      }
    }
  }
  expect(Math.min(...Object.values(count))).toBeGreaterThan(20);
});
