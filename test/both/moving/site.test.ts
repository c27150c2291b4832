// A whole site goes through a file: from the embedded database to the one that the project is about. What commands print of it,
// and a service that runs meanwhile: test/embedded/backup.test.ts.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportFrom } from '../../../src/cli/moving/exportSite.ts';
import { checkFile, importInto } from '../../../src/cli/moving/importSite.ts';
import type { OperatorAccess } from '../../../src/cli/operator/operator.ts';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { withEntries } from '../../../src/entries/model.ts';
import { deleteLeftImports } from '../../../src/features/moving/import/left.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite, buildToken, buildUser, buildWebhook } from '../../support/build.ts';
import { embeddedDatabase } from '../../support/db.ts';
import { FeedReader } from '../../support/feed.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';
import { answersOfWhole, fillWhole } from '../../support/wholeSite.ts';

/** Makes calls as a command does: what passes is JSON. */
function operatorOn(database: PlainDatabase, at?: Date): Pick<OperatorAccess, 'call' | 'where'> {
  return {
    where: 'the test database',
    call: async <Name extends CallName>(name: Name, input: CallInput<Name>) => {
      const place = { database, limits: readConfig({}).limits, now: at ?? new Date() };
      const result = await makeCall(name, JSON.parse(JSON.stringify(input)), place);
      return JSON.parse(JSON.stringify(result)) as CallResult<Name>;
    },
  };
}

let source: TestApp;
let target: TestApp;
let directory: string;
let file: string;
/** The tokens of the site, and of a member. */
let made: { master: string; public: string; member: string; entries: string[] };
const site = 'blog';

/** A site with something of everything that an export has. */
async function buildWhole(app: TestApp): Promise<typeof made> {
  const { prisma } = app.database;
  const tokens = await buildSite(prisma, { id: site });
  const { token: member } = await buildUser(prisma, { memberOf: [site] });
  await buildCustomer(prisma, site, { id: 'ada', roles: ['editors'] });
  await buildCustomer(prisma, site, { id: 'Zoë', roles: [] });
  await buildWebhook(prisma, site);
  const master = as(app, { token: tokens.master });
  const entries = await fillWhole(master);
  return { ...tokens, member, entries };
}

beforeAll(async () => {
  source = await startApp({}, await embeddedDatabase());
  target = await startApp();
  directory = scratchDirectory();
  file = join(directory, 'blog.ndjson.gz');
  made = await buildWhole(source);
  await exportFrom(source.database, site, file);
});
afterAll(async () => {
  await target.close();
  await source.close();
  await source.database.close();
  removeScratch();
});

async function importAs(id: string, from = file): Promise<void> {
  await importInto(operatorOn(target.database), id, from, await checkFile(from));
}

/** The names of what a database has of a site, besides the site itself. */
async function countsOf(id: string): Promise<number> {
  const [row] = await target.database.prisma.$queryRaw<{ count: number }[]>`
    SELECT (SELECT count(*) FROM sites s WHERE s.id = ${id})::int + (SELECT count(*) FROM channels c WHERE c.site_id = ${id})::int
      + (SELECT count(*) FROM entries e WHERE e.site_id = ${id})::int + (SELECT count(*) FROM tokens t WHERE t.site_id = ${id})::int
      AS count`;
  return row?.count ?? 0;
}

describe('a site that is imported into another database', () => {
  let master: string;
  let open: string;

  beforeAll(async () => {
    await importAs(site);
    ({ token: master } = await buildToken(target.database.prisma, { kind: 'master', siteId: site }));
    ({ token: open } = await buildToken(target.database.prisma, { kind: 'public', siteId: site }));
  });

  test('an imported site gives the same answers to the same callers', async () => {
    const before = await answersOfWhole(source, made, made.entries);
    expect(await answersOfWhole(target, { master, public: open }, made.entries)).toEqual(before);
    // The callers are not all told the same.
    expect(new Set(before.map((answer) => JSON.stringify(answer))).size).toBeGreaterThan(before.length / 2);
  });

  test('an imported site has the entries in its feed, each as created, and its future publications', async () => {
    const reader = new FeedReader();
    const changes = await reader.catchUp(as(target, { token: master }));
    const created = changes.filter(({ type }) => type === 'entry.created').map(({ id }) => id);
    expect([...created].sort()).toEqual([...made.entries].sort());
    const due = await target.database.prisma.$queryRaw<{ announced: boolean }[]>`
      SELECT e.announced FROM entries e WHERE e.site_id = ${site} AND e.publish_at > now() LIMIT 5`;
    expect(due).toEqual([{ announced: false }]);
  });

  test('an imported site has an audit log of its own, which begins with the import', async () => {
    const { auditRecord } = source.database.prisma;
    expect(await auditRecord.count({ where: { siteId: site, type: 'channel' } })).toBeGreaterThan(2);
    const logged = await target.database.prisma.auditRecord.findMany({
      where: { OR: [{ siteId: site }, { siteId: '', type: 'user' }], requestId: null },
      orderBy: { id: 'asc' },
    });
    expect(logged.map(({ siteId, type, action, actorKind }) => [siteId, type, action, actorKind])).toEqual([
      [site, 'site', 'created', 'operator'],
      ['', 'user', 'created', 'operator'],
      [site, 'member', 'created', 'operator'],
    ]);
    expect(logged[0]?.after).toEqual({ name: site });
  });

  test('an imported site accepts none of the old tokens, and a rotated one', async () => {
    const status = async (token: string): Promise<number> =>
      (await as(target, { token }).rest('GET', '/channels')).status;
    const { call } = operatorOn(target.database);
    const tokens = await call('listTokens', { site });
    const old = await source.database.prisma.token.findMany({ where: { siteId: site } });
    const imported = tokens.filter(({ id }) => old.some((each) => each.id === id));
    const listed = imported.find(({ kind }) => kind === 'master');
    expect(new Set(imported.map(({ hasSecret }) => hasSecret))).toEqual(new Set([false]));
    const rotated = await call('rotateToken', { id: listed?.id ?? '', overlap: 0 });
    expect([rotated.created.hasSecret, rotated.old.hasSecret]).toEqual([true, false]);
    expect([await status(made.master), await status(made.public), await status(made.member)]).toEqual([401, 401, 401]);
    expect(await status(rotated.token)).toBe(200);
    expect(
      await target.database.prisma.webhook.findMany({ where: { siteId: site }, select: { enabled: true } }),
    ).toEqual([{ enabled: false }]);
    expect(await call('listMembers', { site })).toHaveLength(1);
  });
});

test('an export of an imported site is the same, byte for byte', async () => {
  const other = await embeddedDatabase();
  const again = join(directory, 'again.gz');
  try {
    await importInto(operatorOn(other), site, file, await checkFile(file));
    await exportFrom(other, site, again);
    expect(readFileSync(again).equals(readFileSync(file))).toBe(true);
  } finally {
    await other.close();
  }
  // On the database that the project is about, too, and under another id.
  await importAs('copy');
  await exportFrom(target.database, 'copy', again);
  const lines = (path: string): string[] => gunzipSync(readFileSync(path)).toString().split('\n');
  const isOwn = (line: string): boolean => !/^\{"format|^\{"end":"(file|tokens)"|"kind":"(master|public)"/.test(line);
  expect(lines(again).filter(isOwn)).toEqual(lines(file).filter(isOwn));
  expect(statSync(again).mode & 0o777).toBe(0o600);
});

test('the scopes of tokens neither widen nor get lost in a site’s file and in a rotation', async () => {
  const { prisma } = source.database;
  const { id: scoped } = await buildSite(prisma, { id: 'scoped' });
  const [news, gone] = await Promise.all(['news', 'gone'].map((id) => buildChannel(prisma, scoped, { id })));
  await buildChannel(prisma, scoped, { id: 'other' });
  const make = (scopes: string): Promise<{ id: string }> =>
    buildToken(prisma, { kind: 'master', siteId: scoped, scopes });
  const named = await make(`read@${news?.uid} tokens`);
  const [empty, lost] = [await make(''), await make(`*@${gone?.uid}`)];
  await prisma.channel.delete({ where: { siteId_id: { siteId: scoped, id: 'gone' } } });
  const path = join(directory, 'scoped.gz');
  await exportFrom(source.database, scoped, path);
  await importAs(scoped, path);
  const { call } = operatorOn(target.database);
  const { id: userId } = await buildUser(target.database.prisma, { memberOf: [scoped] });
  const ofUser = await buildToken(target.database.prisma, { kind: 'user', userId, siteId: scoped, scopes: 'read:own' });
  const listed = new Map((await call('listTokens', { site: scoped })).map(({ id, scopes }) => [id, scopes]));
  for (const [{ id }, scopes, statuses] of [
    [named, ['read@news', 'tokens'], [200, 403]],
    [empty, [], [403, 403]],
    [lost, [], [403, 403]],
    [ofUser, ['read:own'], [200, 200]],
  ] as const) {
    if (id !== ofUser.id) expect(listed.get(id)).toEqual(scopes);
    const { created, token } = await call('rotateToken', { id, overlap: 0 });
    expect([created.scopes, created.site]).toEqual([scopes, scoped]);
    const caller = as(target, { token, ...(id === ofUser.id && { site: scoped }) });
    const lists = ['news', 'other'].map(
      async (channel) => (await caller.rest('GET', `/channels/${channel}/entries`)).status,
    );
    expect([id, await Promise.all(lists)]).toEqual([id, statuses]);
  }
});

test('times of the years 1 to 100 are exported as REST shows them, and survive the way to the other database and back', async () => {
  const { master } = await buildSite(source.database.prisma, { id: 'ancient' });
  const caller = as(source, { token: master });
  const fields = [
    { name: 'title', type: 'string' },
    { name: 'made', type: 'datetime' },
  ];
  await caller.rest('POST', '/channels', { body: { id: 'finds', publishable: true, fields } });
  // Parsers of times take 13 to 31 for days, and 1 to 99 for years of this century or the last one.
  const years = ['0001', '0012', '0013', '0031', '0032', '0049', '0050', '0099', '0100'];
  const operations = years.map((year) => {
    const [created_at, updated_at, made] = ['01-02', '03-04', '05-06'].map((day) => `${year}-${day}T07:08:09.010Z`);
    const data = { title: year, made, created_at, updated_at, _status: 'scheduled', _publish_at: updated_at };
    return { op: 'create', id: `7d0f6c3e-4a52-4d58-9b1c-2f6f0a3f${year}`, data };
  });
  const stored = await caller.rest('POST', '/channels/finds/entries/bulk', { body: { operations } });
  expect(stored.text).not.toContain('"error"');

  const [there, back] = [join(directory, 'ancient.gz'), join(directory, 'ancient-back.gz')];
  await exportFrom(source.database, 'ancient', there);
  const rows = gunzipSync(readFileSync(there)).toString().split('\n');
  const shown = (await caller.rest<Record<string, unknown>[]>('GET', '/channels/finds/entries?sort=created_at')).body;
  expect(shown.map(({ title }) => title)).toEqual(years);
  for (const { title, created_at, updated_at, _publish_at, made } of shown) {
    const row = JSON.parse(rows.find((line) => line.includes(`"title":"${String(title)}"`)) ?? '{}') as object;
    expect(row).toMatchObject({ created_at, updated_at, publish_at: _publish_at, values: { made } });
  }
  await importAs('ancient', there);
  await exportFrom(target.database, 'ancient', back);
  expect(readFileSync(back).equals(readFileSync(there))).toBe(true);
});

describe('nothing is imported', () => {
  const text = (): string => gunzipSync(readFileSync(file)).toString();
  const damaged: [string, () => Buffer, RegExp][] = [
    [
      'of a file that was cut off',
      () => readFileSync(file).subarray(0, -20),
      /line \d+: the file ends here: it was cut off/,
    ],
    [
      'of a file whose end is missing',
      () => gzipSync(text().slice(0, -90)),
      /line \d+: the file ends here|is not JSON/,
    ],
    ['of a file without a row', () => gzipSync(text().replace(/\{"channel":"films".*\n/, '')), /has 5 rows of 6/],
    ['of a changed row', () => gzipSync(text().replace('Metropolis', 'Metropolys')), /checksum of the section entries/],
    ['of a changed header', () => gzipSync(text().replace('"name":"blog"', '"name":"blag"')), /checksum of the file/],
    ['of something else', () => gzipSync('{"id":1}\n'), /line 1: this is not the header of an exported site/],
    ['of what is not compressed', () => Buffer.from(text()), /line 1: this is not what gzip has written/],
    [
      'of a newer format',
      () => gzipSync(text().replace('"formatVersion":1,"entryway":"0.1.0"', '"formatVersion":3,"entryway":"9.0.0"')),
      /line 1: the file has the format 3, of Entryway 9\.0\.0; this version reads format 2/,
    ],
  ];
  test.each(damaged)('an import is refused: %s', async (_what, content, expected) => {
    const path = join(directory, 'damaged.gz');
    writeFileSync(path, content());
    await expect(importAs('damaged', path)).rejects.toThrow(expected);
    expect(await countsOf('damaged')).toBe(0);
  });

  test('an import is refused if a site has the id, which is unchanged', async () => {
    const { id } = await buildSite(target.database.prisma);
    await expect(importAs(id)).rejects.toThrow(/There is a site ".*" already: import under another id with --as/);
    expect(await countsOf(id)).toBe(3);
  });

  test('an import of rows that the service would not store is refused, and its earlier rows are deleted', async () => {
    const { call } = operatorOn(target.database);
    const importing = '0197c0de-0000-7000-8000-000000000001';
    const header = { id: 'odd', name: 'Odd', createdAt: new Date().toISOString(), importing };
    expect(await call('beginSiteImport', header)).toEqual({ state: 'begun' });
    const rows = text()
      .split('\n')
      .filter((line) => line.startsWith('{"channel":"films"'));
    const entry = JSON.parse(rows[0] ?? '') as Record<string, unknown>;
    for (const [changed, expected] of [
      [{ acl: { '*': { read: 'yes' } } }, /entries does not fit: acl: .*true or false/],
      [{ slug: 'Not A Slug' }, /slug: must be lower-case/],
      [{ values: { _owner: 'me' } }, /is not the name of a custom field/],
      [{ status: 'scheduled', publish_at: null }, /publish_at: must be a time/],
      [{}, /of the channel "films", which the site does not have/],
    ] as const) {
      const input = { id: 'odd', importing, section: 'entries', rows: [{ ...entry, ...changed }] };
      await expect(call('importSiteRows', input)).rejects.toThrow(expected);
    }
    expect(await countsOf('odd')).toBe(1);
    for (let parts = 0; !(await call('abandonSiteImport', { id: 'odd', importing })).isDone; parts += 1)
      expect(parts).toBeLessThan(20);
    expect(await countsOf('odd')).toBe(0);
  });
});

test('a site is hidden until its import is complete, and one that was stopped makes room for the next', async () => {
  const { call } = operatorOn(target.database);
  const importing = '0197c0de-0000-7000-8000-000000000002';
  const header = { id: 'half', name: 'Half', createdAt: new Date().toISOString(), importing };
  expect(await call('beginSiteImport', header)).toEqual({ state: 'begun' });
  const section = (name: string): unknown[] =>
    gunzipSync(readFileSync(file))
      .toString()
      .split(`{"section":"${name}"}\n`)[1]
      ?.split('\n{"end"')[0]
      ?.split('\n')
      .map((line) => JSON.parse(line) as unknown) ?? [];
  for (const name of ['channels', 'tokens', 'entries']) {
    await call('importSiteRows', { id: 'half', importing, section: name, rows: section(name) });
  }
  expect(await countsOf('half')).toBeGreaterThan(6);
  expect((await call('listSites', {})).map(({ id }) => id)).not.toContain('half');
  expect((await call('listTokens', {})).map(({ site: of }) => of)).not.toContain('half');
  for (const ask of [
    call('showSite', { id: 'half' }),
    call('createSiteToken', { site: 'half', kind: 'master', name: null, expiresAt: null }),
  ]) {
    await expect(ask).rejects.toThrow(/The site "half" is being imported, or an import of it was stopped/);
  }
  const counts = { channels: 2, customers: 2, webhooks: 1, tokens: 2, sessions: 2, entries: 6 };
  await expect(call('finishSiteImport', { id: 'half', importing, members: [], counts })).rejects.toThrow(
    /The site has 0 customers, and its file says 2: it is not imported/,
  );
  // Another import waits for one that may be under way, and takes the site from one that is not.
  const next = '0197c0de-0000-7000-8000-000000000003';
  expect(await call('beginSiteImport', { ...header, importing: next })).toEqual({ state: 'busy' });
  const later = operatorOn(target.database, new Date(Date.now() + 60_000));
  expect(await later.call('beginSiteImport', { ...header, importing: next })).toMatchObject({ state: 'clearing' });
  const late = { id: 'half', importing, section: 'channels', rows: section('channels') };
  await expect(call('importSiteRows', late)).rejects.toThrow(/is not this import's any more/);
  // A site that is only half there can be deleted as any other one.
  for (let parts = 0; !(await call('deleteSite', { id: 'half', confirm: 'half' })).isDone; parts += 1)
    expect(parts).toBeLessThan(20);
  expect(await countsOf('half')).toBe(0);
  await importInto(later, 'half', file, await checkFile(file));
  expect((await call('showSite', { id: 'half' })).entries).toBe(6);
});

test('what a stopped import has left is deleted in the background, once it wrote nothing for an hour', async () => {
  const { call } = operatorOn(target.database);
  const importing = '0197c0de-0000-7000-8000-000000000004';
  await call('beginSiteImport', { id: 'left', name: 'Left', createdAt: new Date().toISOString(), importing });
  const db = withEntries(target.database.prisma, target.database.statements);
  const sweep = (minutes: number): Promise<number> =>
    deleteLeftImports(db, ['left', site], new Date(Date.now() + minutes * 60_000), 500);
  await sweep(59);
  expect(await countsOf('left')).toBe(1);
  await sweep(61);
  expect(await countsOf('left')).toBe(0);
  expect(await countsOf(site)).toBeGreaterThan(1);
});
