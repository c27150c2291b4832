// The predicate in SQL and the rules say the same: for random channels, entries and callers, what a list shows is what
// `maySee` allows, and count and fetch agree with it, through both doors.
import { expect, test } from '@jest/globals';
import type { EntryRow } from '../../../src/entries/row.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { type EntryAcl, maySee, type Scope } from '../../../src/rules/access.ts';
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
  return Object.fromEntries(unique.map((key) => [key, { read: chance(0.5), update: true }]));
}

interface Caller {
  readonly kind: 'master' | 'public' | 'user';
  readonly customer: { id: string; roles: string[] } | null;
  readonly useAcl: boolean;
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

test(`list, count and fetch show what the rules allow, to every caller (SEED=${seed})`, async () => {
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
