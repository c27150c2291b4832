// What goes wrong around an import: a site that becomes complete meanwhile, names that are properties of every object, rows that
// nobody exported; and what an export leaves out. How a whole site moves: site.test.ts.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { exportFrom } from '../../../src/cli/moving/exportSite.ts';
import { checkFile, importInto } from '../../../src/cli/moving/importSite.ts';
import type { OperatorAccess } from '../../../src/cli/operator/operator.ts';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { batchDeletions } from '../../../src/management/sites/siteRows.ts';
import type { Statements } from '../../../src/database/statements.ts';
import { entriesOn, withEntries } from '../../../src/entries/model.ts';
import { Prisma } from '../../../src/generated/prisma/client.ts';
import { deleteLeftImports } from '../../../src/features/moving/import/left.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildSite, buildToken, buildUser, buildWebhook } from '../../support/build.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

let app: TestApp;
let master: Caller;
let tokens: { readonly master: string; readonly public: string };
let file: string;
/** An entry that the customer `__proto__` may not read, and every other one may. */
let entry: string;
const site = 'blog';
const importing = '0197c0de-0000-7000-8000-00000000000a';

async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
  const place = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  const result = await makeCall(name, JSON.parse(JSON.stringify(input)), place);
  return JSON.parse(JSON.stringify(result ?? null)) as CallResult<Name>;
}
const operator: Pick<OperatorAccess, 'call' | 'where'> = { where: 'the test database', call };

async function post(path: string, body: string | object): Promise<{ id: string; token: string }> {
  const answer = await master.rest<{ id: string; token: string }>('POST', path, { body });
  expect([path, answer.status]).toEqual([path, 201]);
  return answer.body;
}

/** How a form of the notes is laid out. */
const layout = { groups: [{ label: 'Main', fields: ['head'] }] };

beforeAll(async () => {
  app = await startApp();
  const { prisma } = app.database;
  tokens = await buildSite(prisma, { id: site });
  master = as(app, { token: tokens.master });
  await buildUser(prisma, { memberOf: [site] });
  await buildCustomer(prisma, site, { id: '__proto__' });
  await buildWebhook(prisma, site);
  const times = { createdAt: new Date(), updatedAt: new Date() };
  await prisma.role.create({ data: { siteId: site, id: 'readers', name: 'Readers', rights: ['read'], ...times } });
  await post('/channels', { id: 'notes', acl: { read: 'public' }, typeName: 'Remark', titleField: 'head', layout });
  ({ id: entry } = await post(
    '/channels/notes/entries',
    JSON.parse(
      '{"head":"x","a":{"__proto__":{"b":[{"__proto__":1}]},"constructor":2},"_acl":{"__proto__":{"read":false}}}',
    ) as object,
  ));
  await post('/customers/__proto__/sessions', {});
  // Only a token that has scopes has them in the file.
  await buildToken(prisma, { kind: 'master', siteId: site, scopes: 'read' });
  file = join(scratchDirectory(), 'blog.gz');
  await exportFrom(app.database, site, file);
});
afterAll(async () => {
  await app.close();
  removeScratch();
});

/** The rows of a section of the file. */
function section(name: string, path = file): Record<string, unknown>[] {
  const [, rows = ''] = gunzipSync(readFileSync(path)).toString().split(`{"section":"${name}"}\n`);
  const lines = rows.split('{"end"')[0]?.split('\n') ?? [];
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function begin(id: string): Promise<void> {
  const header = { id, name: id, createdAt: new Date().toISOString(), importing };
  expect(await call('beginSiteImport', header)).toEqual({ state: 'begun' });
}

async function store(id: string, name: string): Promise<void> {
  await call('importSiteRows', { id, importing, section: name, rows: section(name) });
}

async function abandon(id: string): Promise<void> {
  for (let parts = 0; !(await call('abandonSiteImport', { id, importing })).isDone; parts += 1)
    expect(parts).toBeLessThan(20);
}

/** How many channels and entries a site has. */
async function countRows(siteId: string): Promise<number> {
  const { prisma } = app.database;
  return (await prisma.channel.count({ where: { siteId } })) + (await prisma.entry.count({ where: { siteId } }));
}

describe('what is deleted of an import', () => {
  test('the background deletes nothing of a completed import, or of a site that another import has', async () => {
    const { prisma, statements } = app.database;
    const other = '0197c0de-0000-7000-8000-00000000000b';
    for (const state of [{ importing: null, importingAt: null }, { importing: other }, { importingAt: new Date() }]) {
      await begin('raced');
      await store('raced', 'channels');
      const before = await countRows('raced');
      expect(before).toBe(1);
      // What becomes of the site between the look at stopped imports and the deletion.
      const meanwhile = new Proxy(prisma.site, {
        get: (model, name) =>
          name === 'findMany'
            ? async (query: Prisma.SiteFindManyArgs) => {
                const found = await model.findMany(query);
                expect(found).toHaveLength(1);
                await model.update({ where: { id: 'raced' }, data: state });
                return found;
              }
            : (Reflect.get(model, name) as unknown),
      });
      const db = withEntries(prisma, statements);
      const raced = new Proxy(db, {
        get: (client, name) => (name === 'site' ? meanwhile : (Reflect.get(client, name) as unknown)),
      });
      const later = new Date(Date.now() + 61 * 60_000);
      await deleteLeftImports(raced, ['raced'], later, 500);
      expect(await countRows('raced')).toBe(before);
      for (let parts = 0; !(await call('deleteSite', { id: 'raced', confirm: 'raced' })).isDone; parts += 1)
        expect(parts).toBeLessThan(20);
    }
  });

  test('abandoning a completed import deletes nothing', async () => {
    await importInto(operator, 'whole', file, await checkFile(file));
    const before = await countRows('whole');
    await abandon('whole');
    expect([before, await countRows('whole')]).toEqual([2, 2]);
  });

  test('abandoning an import deletes all its rows, and none of its steps continues', async () => {
    await begin('given-up');
    await store('given-up', 'channels');
    expect((await call('abandonSiteImport', { id: 'given-up', importing })).isDone).toBe(false);
    await expect(store('given-up', 'entries')).rejects.toThrow(/is not this import's any more/);
    const counts = { channels: 0, customers: 0, webhooks: 0, tokens: 0, sessions: 0, entries: 0 };
    await expect(call('finishSiteImport', { id: 'given-up', importing, members: [], counts })).rejects.toThrow(
      /is not this import's any more/,
    );
    await abandon('given-up');
    expect(await app.database.prisma.site.count({ where: { id: 'given-up' } })).toBe(0);
  });
});

describe('a name that every object has as a property', () => {
  test('a name like `constructor` survives export and import, with its denial', async () => {
    await importInto(operator, 'copied', file, await checkFile(file));
    const again = join(scratchDirectory(), 'copied.gz');
    await exportFrom(app.database, 'copied', again);
    for (const name of ['channels', 'customers', 'entries'])
      expect(JSON.stringify(section(name, again))).toBe(JSON.stringify(section(name)));

    const { prisma } = app.database;
    const copied = {
      master: (await buildToken(prisma, { kind: 'master', siteId: 'copied' })).token,
      public: (await buildToken(prisma, { kind: 'public', siteId: 'copied' })).token,
    };
    const asked: unknown[] = [];
    for (const each of [tokens, copied]) {
      const { body } = await as(app, { token: each.master }).rest<{ token: string }>(
        'POST',
        '/customers/__proto__/sessions',
        { body: {} },
      );
      const callers = [{ token: each.master }, { token: each.public }, { token: each.public, session: body.token }];
      const answers = await Promise.all(
        callers.map((caller) => as(app, caller).rest('GET', `/channels/notes/entries/${entry}`)),
      );
      asked.push(answers.map(({ status, text }) => [status, status === 200 ? text : '']));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404]);
    }
    expect(asked[1]).toEqual(asked[0]);
    expect(JSON.stringify(asked[1])).toContain('__proto__');
    const { body } = await as(app, { token: copied.master }).rest('GET', '/channels/notes');
    expect(body).toMatchObject({ typeName: 'Remark', titleField: 'head', layout });
  });
});

/** By table: the section that has it, and which of its columns that does not have, and why. */
const leftOut: Record<string, { readonly section?: string; readonly columns?: Record<string, string>; why?: string }> =
  {
    Channel: {
      section: 'channels',
      columns: {
        ...{ siteId: 'the file is of one site', uid: 'made by each database' },
        ...{ fieldsVersion: 'derived', derivedVersion: 'derived' },
        ...{ sight: 'derived', sightVersion: 'derived', earlierSights: 'derived' },
        ...{ earlierSightsUntil: 'derived', changedBy: 'of the feed', fieldRules: 'derived' },
      },
    },
    Customer: { section: 'customers', columns: { siteId: 'the file is of one site' } },
    Role: { section: 'roles', columns: { siteId: 'the file is of one site' } },
    Membership: {
      section: 'members',
      columns: { siteId: 'the file is of one site', userId: 'users are named by their addresses' },
    },
    Webhook: {
      section: 'webhooks',
      columns: {
        ...{ siteId: 'the file is of one site', enabled: 'an imported one sends nothing', disabledReason: 'the same' },
        ...{ secret: 'secret', oldSecret: 'secret', oldSecretUntil: 'of a secret' },
        ...{ cursor: 'of the feed of its database', queued: 'the same', failingSince: 'of what it sent' },
      },
    },
    Token: {
      section: 'tokens',
      columns: {
        ...{ siteId: 'the file is of one site', userId: 'those of users belong to no site' },
        ...{ hash: 'secret', lastUsedAt: 'of what it was used for' },
        ...{ signInId: 'those of sign-ins belong to no site', sealedKey: 'the same' },
      },
    },
    Session: {
      section: 'sessions',
      columns: {
        ...{ siteId: 'the file is of one site', customerId: 'it is called customer' },
        ...{ hash: 'secret', lastUsedAt: 'of what it was used for' },
      },
    },
    Entry: {
      section: 'entries',
      columns: {
        ...{
          siteId: 'the file is of one site',
          channelUid: 'it is called channel',
          data: 'one of values',
          kept: 'the same',
        },
        ...{ fieldsVersion: 'derived', sightVersion: 'derived', announced: 'of the feed', title: 'derived' },
        ...{ titleKey: 'derived', titleRest: 'derived', readGrant: 'derived', readDeny: 'derived', size: 'derived' },
      },
    },
    User: { why: 'belongs to no site; members have their addresses and names' },
    Password: { why: 'of a user, who belongs to no site' },
    SignIn: { why: 'the same' },
    SignInFailure: { why: 'counts of some minutes' },
    KnownBrowser: { why: 'of a user, who belongs to no site' },
    UserLink: { why: 'the same' },
    Identity: { why: 'the same' },
    Provider: { why: 'belongs to the installation' },
    Invitation: { why: 'its link is known to whom it was given, and its inviter is of this installation' },
    EntryValue: { why: 'derived' },
    IdempotencyKey: { why: 'answers of a day' },
    Change: { why: 'the feed begins with the import' },
    ChangeFeed: { why: 'the feed begins with the import' },
    WebhookEvent: { why: 'an imported webhook has nothing to send' },
    WebhookDelivery: { why: 'the log of what was sent' },
    AuditRecord: { why: 'the log begins with the import' },
    RateCount: { why: 'rates of the last minute' },
  };

test('an export has each column of each table, or lists a reason not to', () => {
  const { Site, ...others } = Prisma.ModelName;
  expect(Object.keys(leftOut).sort()).toEqual(Object.keys(others).sort());
  const header = JSON.parse(gunzipSync(readFileSync(file)).toString().split('\n')[0] ?? '') as { site: object };
  expect([Site, ...Object.keys(header.site), 'importing', 'importingAt'].sort()).toEqual(
    ['Site', ...Object.keys(Prisma.SiteScalarFieldEnum).map(snakeCase)]
      .map((name) => (name === 'importing_at' ? 'importingAt' : name))
      .sort(),
  );
  for (const [model, { section: name, columns = {} }] of Object.entries(leftOut)) {
    if (name === undefined) continue;
    const row: object = Object.assign({}, ...section(name));
    const all = Object.keys(Prisma[`${model}ScalarFieldEnum` as 'ChannelScalarFieldEnum']);
    const known = new Set([...Object.keys(row), ...Object.keys(columns).map(snakeCase)]);
    expect([model, all.map(snakeCase).filter((column) => !known.has(column))]).toEqual([model, []]);
    expect([model, Object.keys(columns).filter((column) => Object.hasOwn(row, snakeCase(column)))]).toEqual([
      model,
      [],
    ]);
  }
});

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

describe('a site that is being imported', () => {
  test('a site that is being imported has no token that can be used, rotated or revoked', async () => {
    await begin('hidden');
    await store('hidden', 'tokens');
    const { prisma } = app.database;
    const made = await buildToken(prisma, { kind: 'master', siteId: 'hidden' });
    expect((await as(app, { token: made.token }).rest('GET', '/channels')).status).toBe(401);
    for (const { id } of await prisma.token.findMany({ where: { siteId: 'hidden' } })) {
      await expect(call('rotateToken', { id, overlap: 0 })).rejects.toThrow(/The site "hidden" is being imported/);
      await expect(call('revokeToken', { id })).rejects.toThrow(/The site "hidden" is being imported/);
    }
    expect(await prisma.token.count({ where: { siteId: 'hidden', revokedAt: null } })).toBe(4);
    await abandon('hidden');
  });

  test('a site that is being imported refuses rows that the service would not have stored', async () => {
    await begin('crafted');
    await store('crafted', 'channels');
    const zero = '0000-01-01T00:00:00.000Z';
    const wrong: [string, Record<string, unknown>, RegExp][] = [
      ['sessions', { customer: 'nobody' }, /A session is of the customer "nobody", whom the site does not have/],
      ['entries', { created_at: zero }, /created_at: must be between the years 1 and 9999/],
      ['channels', { title_field: '_acl' }, /title_field: must name a custom field/],
      ['channels', { layout: [] }, /layout: must be an object/],
      ['channels', { type_name: 'not a name' }, /type_name: must begin with a capital/],
      ['entries', { acl: [] }, /acl: must be an object/],
      ['entries', { values: 'none' }, /values: must be an object/],
      ['entries', { values: { ['x'.repeat(256)]: 1 } }, /is not the name of a custom field/],
    ];
    for (const [name, changed, expected] of wrong) {
      const rows = [{ ...section(name)[0], ...changed }];
      await expect(call('importSiteRows', { id: 'crafted', importing, section: name, rows })).rejects.toMatchObject({
        code: 'bad_request',
        detail: expect.stringMatching(expected),
      });
    }
    const [member] = section('members');
    const counts = { channels: 1, customers: 0, webhooks: 0, tokens: 0, sessions: 0, entries: 0 };
    const twice = { id: 'crafted', importing, counts, members: [member, member] };
    await expect(call('finishSiteImport', twice)).rejects.toThrow(/The member .* is named twice/);
    await abandon('crafted');
    for (const name of ['a\nb', 'a\0b', '', ' a']) {
      const header = { id: 'crafted', name, createdAt: new Date().toISOString(), importing };
      await expect(call('beginSiteImport', header)).rejects.toThrow(/name: must be a name/);
    }
    const early = { id: 'crafted', name: 'a', createdAt: zero, importing };
    await expect(call('beginSiteImport', early)).rejects.toThrow(/createdAt: must be between the years/);
  });
});

test('no deletion of a batch joins all rows of the site', async () => {
  const { prisma } = app.database;
  const plans: string[] = [];
  const explain = async ({ strings: [first = '', ...rest], values }: Prisma.Sql): Promise<[]> => {
    const rows = await prisma.$queryRaw<{ 'QUERY PLAN': string }[]>(
      Prisma.sql([`EXPLAIN (COSTS OFF) ${first}`, ...rest], ...values),
    );
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return [];
  };
  const explained = {
    $executeRaw: async (query: TemplateStringsArray | Prisma.Sql, ...values: unknown[]) =>
      (await explain('strings' in query ? query : Prisma.sql(query, ...values))).length,
  } as Pick<Statements, '$executeRaw'> as Statements;
  for (const deleteBatch of Object.values(batchDeletions)) await deleteBatch(explained, site, 500);
  await entriesOn({ read: explain, readPrepared: explain, write: explain }).deleteUnchecked(site, 500);
  expect(plans.filter((plan) => plan.includes('Delete on'))).toHaveLength(Object.keys(batchDeletions).length + 1);
  expect(plans.filter((plan) => /Nested Loop|Join/.test(plan))).toEqual([]);
});
