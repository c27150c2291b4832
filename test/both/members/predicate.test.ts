// The conditions of rights and of scopes in SQL and the rules say the same: for random members, tokens, channels and entries
// (docs/contract.md §14.1, §14.5).
import { expect, test } from '@jest/globals';
import type { EntryRow } from '../../../src/entries/row.ts';
import { entriesForWrite, visibleEntries, writable } from '../../../src/entries/sql/predicate.ts';
import { channelRules } from '../../../src/fields/compiled.ts';
import type { Prisma } from '../../../src/generated/prisma/client.ts';
import { maySee, mayWriteIn, writeActions, type EntryAcl, type Scope } from '../../../src/rules/access.ts';
import { makeViewer, type Caller } from '../../../src/rules/callers.ts';
import type { Status } from '../../../src/rules/publication.ts';
import { parseRight } from '../../../src/rules/rights.ts';
import { isInScopes, readScopes, scopedReach } from '../../../src/rules/scopes.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { seeded } from '../../support/random.ts';
import { suiteApp } from '../../support/scene.ts';

const seed = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const { pick, chance } = seeded(seed);
const scopes: Scope[] = ['public', 'shared', 'private', 'none'];
const statuses: Status[] = ['draft', 'scheduled', 'published'];
const texts = [
  'read',
  'read:own',
  'create',
  'update',
  'update:own',
  'delete',
  'delete:own',
  'publish',
  'publish:own',
  'access',
  '*',
];

const app = await suiteApp();

function randomAcl(): EntryAcl {
  const keys = ['*', 'users', 'ada'].filter(() => chance(0.3));
  return Object.fromEntries(
    keys.map((key) => [key, { read: chance(0.5), update: chance(0.5), ...(chance(0.5) && { delete: chance(0.5) }) }]),
  );
}

test(`lists, fetches, feeds and writes of members are those that the rules allow (SEED=${seed})`, async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const times = { createdAt: new Date(), updatedAt: new Date() };
  const count = { seen: 0, hidden: 0, may: 0, mayNot: 0 };
  for (let round = 0; round < 24; round += 1) {
    const scope = (): Scope => pick(scopes);
    const rules = { readScope: scope(), updateScope: scope(), deleteScope: scope(), publishable: chance(0.6) };
    const channel = await buildChannel(db, site.id, rules);
    const named = (text: string): string =>
      text === '*' || chance(0.5) ? text : `${text}@${pick([channel.uid, site.id])}`;
    const rights = texts.filter((text) => chance(text === '*' ? 0.05 : 0.15)).map(named);
    const user = await buildUser(db);
    const owner = `member:${user.id}`;
    const [siteId, role] = [site.id, `role-${round}`];
    await db.role.create({ data: { siteId, id: role, rights, ...times } });
    await db.membership.create({ data: { siteId, userId: user.id, roles: [role], createdAt: new Date() } });
    const scoped = chance(0.4) ? null : texts.filter((text) => chance(text === '*' ? 0.1 : 0.3)).map(named);
    if (scoped !== null) {
      await db.token.updateMany({ where: { userId: user.id }, data: { siteId, scopes: scoped.join(' ') } });
    }
    const member = as(app, { token: user.token, site: site.id });
    const rows: EntryRow[] = [];
    for (let index = 0; index < 12; index += 1) {
      const status = pick(statuses);
      const publishAt = status === 'scheduled' ? new Date('2999-01-01') : null;
      const values = { status, publishAt, owner: pick([null, owner, user.id, 'ada']), acl: randomAcl() };
      rows.push(await buildEntry(db, channel, values));
    }
    const parsed = rights.flatMap((text) => parseRight(text) ?? []);
    const limits = scoped && readScopes(scoped.join(' '), user.id, new Map([[channel.uid, channel.id]]));
    const caller: Caller = {
      scopes: limits,
      kind: 'user',
      customer: null,
      member: { user: user.id, roles: [{ id: role, rights: parsed }] },
    };
    const viewer = makeViewer(caller, false, new Date());
    const ids = (chosen: EntryRow[]): string[] => chosen.map(({ id }) => id).sort();
    const find = async (condition: Prisma.Sql): Promise<string[]> => {
      const found = await db.$queryRaw<{ id: string }[]>`SELECT e.id::text FROM entries e
        WHERE e.site_id = ${site.id} AND e.channel_uid = ${channel.uid}::uuid AND ${condition} LIMIT 100 -- test`;
      return found.map(({ id }) => id).sort();
    };
    const seen = rows.filter((row) => maySee(viewer, channelRules(channel), row));
    const said = { seed, round, rights, scoped, rules };
    expect({ ...said, ids: await find(visibleEntries(channel, viewer)) }).toEqual({ ...said, ids: ids(seen) });
    for (const action of writeActions) {
      const may = rows.filter((row) => {
        const isAllowed = mayWriteIn(viewer.subject, action, channelRules(channel), row);
        return isAllowed && isInScopes(limits, action, channel.uid, row);
      });
      expect({ ...said, action, ids: await find(writable(channel, viewer, action)) }).toEqual({
        ...said,
        action,
        ids: ids(may),
      });
      const found = rows.filter((row) => may.includes(row) || seen.includes(row));
      expect(await find(entriesForWrite(channel, viewer, action))).toEqual(ids(found));
      count.may += may.length;
      count.mayNot += rows.length - may.length;
    }
    const path = `/channels/${channel.id}/entries`;
    const fed = await member.rest<{ changes: { id: string | null }[] }>('GET', `/channels/${channel.id}/changes`);
    const reach = scopedReach(limits, 'read', channel.uid);
    expect({ ...said, status: fed.status }).toEqual({ ...said, status: reach === 'all' ? 200 : 403 });
    if (reach === null) {
      expect({ ...said, status: (await member.rest('GET', path)).status }).toEqual({ ...said, status: 403 });
      expect(seen).toEqual([]);
      continue;
    }
    const listed = await member.rest<{ id: string }[]>('GET', path);
    expect({ ...said, ids: listed.body.map(({ id }) => id).sort() }).toEqual({ ...said, ids: ids(seen) });
    expect((await member.rest('GET', `${path}/count`)).body).toEqual({ count: seen.length });
    if (reach === 'all') {
      const told = [...new Set(fed.body.changes.flatMap(({ id }) => id ?? []))].sort();
      expect({ ...said, told }).toEqual({ ...said, told: ids(seen) });
    }
    const row = pick(rows);
    expect((await member.rest('GET', `${path}/${row.slug}`)).status).toBe(seen.includes(row) ? 200 : 404);
    count.seen += seen.length;
    count.hidden += rows.length - seen.length;
  }
  expect(Math.min(...Object.values(count))).toBeGreaterThan(5);
});
