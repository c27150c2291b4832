// Published holes of systems like this one, by the shapes V1 to V26, tried here: a path that does not carry the rule,
// and rows that are judged wrongly.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { resolvers, routes } from '../../../src/features.ts';
import { fieldsOf } from '../../support/doors.ts';
import { buildEntries } from '../../support/sites.ts';
import { suiteSites } from '../../support/scene.ts';

const { app, sites } = await suiteSites();

const root = fileURLToPath(new URL('../../../src', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

/** How often a pattern stands in each file of src/. */
function places(pattern: RegExp): Record<string, number> {
  const found = sources.map(([file, text]) => [file, [...text.matchAll(pattern)].length] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

/** Functions of the database that write entries, by a statement of their own or by another one of these functions. */
const writesEntries = '(INSERT INTO|UPDATE|DELETE FROM) "?entries\\M|"entryway_(create|update|delete)_entr(y|ies)"';

describe('V1: a new way to write that does not carry the row rule', () => {
  test('each statement that writes entries is listed, and two files alone decide on them', async () => {
    // Deletes those of a site that the operator deletes.
    expect(places(/\b(INSERT INTO|UPDATE|DELETE FROM) entries\b/g)).toEqual({ 'entries/whole.ts': 1 });
    const functions = await app.database.prisma.$queryRaw<{ name: string }[]>`
      SELECT DISTINCT p.proname::text AS name FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
      WHERE n.nspname = current_schema() AND p.prosrc ~ ${writesEntries} ORDER BY 1`;
    const called = functions.map(({ name }) => [name, places(new RegExp(`\\b${name}\\b`, 'g'))]);
    expect(Object.fromEntries(called)).toEqual({
      entryway_create_entries: { 'entries/sql/write.ts': 1 },
      // Called by the one above, where the tables are distributed.
      entryway_create_each: {},
      entryway_join_creates: { 'entries/sql/create.ts': 1 },
      entryway_create_entry: { 'entries/sql/write.ts': 1 },
      entryway_update_entry: { 'entries/sql/write.ts': 1 },
      entryway_delete_entry: { 'entries/sql/write.ts': 1 },
      // Derives what is shown of what an entry was given, after its channel's fields changed.
      entryway_store_derived: { 'entries/redefinition/outdated.ts': 1 },
      // Notes that the time of entries has come, and changes nothing else of them.
      entryway_record_opened: { 'entries/feed/sightChanges.ts': 1 },
      entryway_record_sights: { 'entries/feed/sightChanges.ts': 1 },
    });
    const callers = places(/\bentry\.(insert|update|delete)\w+\(/g);
    expect(callers).toEqual({
      'resolvers/entries/create.ts': 1,
      'resolvers/entries/createMany.ts': 1,
      // Updates, and publications.
      'resolvers/entries/writing.ts': 2,
      'resolvers/entries/delete.ts': 1,
      // The operator's, who deletes or imports a whole site.
      'management/sites/deleteRows.ts': 1,
      'features/moving/import/entries.ts': 3,
    });
  });

  test('the paths of bulks are two', () => {
    const many = /bulk|batch|many|import|upsert|all|entries/i;
    const mutations = [...fieldsOf(createSchema(resolvers)).keys()].filter((field) => field.startsWith('Mutation.'));
    expect(mutations.filter((name) => many.test(name))).toEqual(['Mutation.bulkEntries']);
    const paths = routes.map(({ path: each }) => each.replace('/entries', ''));
    expect(paths.filter((each) => many.test(each))).toEqual(['/channels/:channel/bulk']);
  });

  test('bulks run the single operations, and no statement of their own', () => {
    const texts = new Map(sources.filter(([file]) => file.endsWith('bulk.ts')));
    expect([...texts.keys()].sort()).toEqual(['inputs/bulk.ts', 'resolvers/entries/bulk.ts']);
    const called = [...(texts.get('resolvers/entries/bulk.ts') ?? '').matchAll(/\bperform\((\w+)/g)];
    expect(called.map(([, name]) => name)).toEqual([
      ...['createEntries', 'updateEntry', 'deleteEntry'],
      ...['publishEntry', 'unpublishEntry'],
    ]);
    // Entries that are created together are authorized and prepared as one that is created by itself.
    const creation = { 'resolvers/entries/create.ts': 2, 'resolvers/entries/createMany.ts': 1 };
    expect(places(/\bprepareEntry\(/g)).toEqual(creation);
    // The last one only tells of it.
    const asking = { 'resolvers/entries/create.ts': 1, 'features/explain/rights.ts': 1 };
    expect(places(/\bmayCreateIn\(/g)).toEqual({ 'rules/access.ts': 1, ...asking });
    const writing =
      /\b(INSERT INTO|UPDATE|DELETE FROM) \w|\$executeRaw|\bentry\.(?!lockForWriting)\w+\(|\b(mayWriteIn|mayCreateIn|maySee)\(/;
    for (const [file, text] of texts) expect([file, writing.test(text)]).toEqual([file, false]);
  });

  test('each operation of a bulk is decided on its own, and a refused one stores nothing', async () => {
    const { adas, closed, open, draft } = await buildEntries(app, sites.here.forms);
    const operations = [closed, adas, open, draft].map(({ id }) => ({ op: 'update', id, data: { note: 'new' } }));
    for (const [kind, statuses] of [
      ['public', [404, 404, 403, 404]],
      ['public+ada', [404, 200, 200, 200]],
      ['user+ada', [404, 200, 200, 200]],
    ] as const) {
      const { body } = await sites
        .ask(kind)
        .rest<{ results?: readonly { readonly status: number }[] }>('POST', '/channels/forms/entries/bulk', {
          body: { operations },
        });
      expect([kind, body.results?.map(({ status }) => status)]).toEqual([kind, statuses]);
    }
    const { siteId, id } = closed;
    const row = await app.database.prisma.entry.findUnique({ where: { siteId_id: { siteId, id } } });
    expect([row?.version, row?.data]).toEqual([1, closed.data]);
  });

  test('each of several writes in one GraphQL request is decided on its own', async () => {
    const { adas, closed, open } = await buildEntries(app, sites.here.forms);
    const update = (id: string): string =>
      `updateEntry(channel: "forms", id: "${id}", input: { fields: { x: 1 } }) { id }`;
    const query = `mutation { a: ${update(adas.id)} b: ${update(closed.id)} c: ${update(open.id)}
      d: deleteEntry(channel: "forms", id: "${closed.id}") }`;
    const { data, errors } = await sites.ask('public+ada').gql(query);
    expect(data).toEqual({ a: { id: adas.id }, b: null, c: { id: open.id }, d: null });
    expect(errors?.map(({ path, extensions }) => [path?.[0], extensions.code])).toEqual([
      ['b', 'NOT_FOUND'],
      ['d', 'NOT_FOUND'],
    ]);
    const batch = await sites.ask('public+ada').rest('POST', '/graphql', { body: [{ query }, { query }] });
    expect(batch.status).toBe(400);
  });
});

describe('V11: the old row is judged, and the new one is stored', () => {
  /** Everything that would give the entry away, beside a member that is legal. */
  const grab = {
    ...{ _owner: 'eve', _acl: { eve: { read: true, update: true, delete: true } } },
    ...{ channel: 'forms', id: '0198b2c2-7a7a-7000-8000-000000000001', short_id: 'ABCDEFGHIJ', url: 'x' },
    ...{ _status: 'published', _publish_at: null, note: 'mine' },
  };
  const input = {
    ...{ owner: 'eve', acl: [{ actor: 'eve', read: true, update: true }], status: 'PUBLISHED', publishAt: null },
    fields: { note: 'mine' },
  };
  const update =
    'mutation ($id: ID!, $input: EntryInput!) { updateEntry(channel: "grabbed", id: $id, input: $input) { id } }';

  test.each(['ada, the owner', 'eve, who may update'])(
    '%s, gains no right by an update, over either door',
    async (who) => {
      const { prisma } = app.database;
      const site = await buildSite(prisma);
      await buildChannel(prisma, site.id, { id: 'forms' });
      const scopes = { updateScope: 'private', readScope: 'private' } as const;
      const channel = await buildChannel(prisma, site.id, { id: 'grabbed', publishable: true, ...scopes });
      const { session } = await buildCustomer(prisma, site.id, { id: who.slice(0, 3) });
      const caller = as(app, { token: site.public, session });
      for (const send of [
        (id: string) => caller.rest('PUT', `/channels/grabbed/entries/${id}`, { body: grab }),
        (id: string) => caller.rest('PATCH', `/channels/grabbed/entries/${id}`, { body: grab }),
        (id: string) => caller.gql(update, { id, input }),
      ]) {
        const acl = { eve: { update: true, read: true } };
        const { id, shortId } = await buildEntry(prisma, channel, { status: 'draft', owner: 'ada', acl });
        expect((await send(id)).status).toBe(200);
        const after = await prisma.entry.findUnique({ where: { siteId_id: { siteId: site.id, id } } });
        const kept = { id, shortId, channelUid: channel.uid, siteId: site.id, owner: 'ada', acl };
        expect(after).toMatchObject({ ...kept, data: { note: 'mine' }, status: 'draft', publishAt: null });
      }
    },
  );

  test('a GraphQL payload has no member for a site, a channel or a version', async () => {
    for (const member of ['channel: "forms"', 'site: "x"', 'siteId: "x"', 'id: "x"', 'version: 9', 'createdAt: "x"']) {
      const query = `mutation { updateEntry(channel: "articles", id: "open", input: { ${member} }) { id } }`;
      expect([member, (await sites.ask('master').gql(query)).status]).toEqual([member, 400]);
    }
  });
});

describe('V16: a call that forgets to ask for access control', () => {
  test('calls that bypass access control stand in the listed files alone', () => {
    expect(places(/(?<!readonly )\{ is: 'unchecked' \}/g)).toEqual({ 'rules/callers.ts': 1 });
    expect(places(/'unchecked'/g)).toEqual({
      'rules/access.ts': 3,
      'rules/actors.ts': 1,
      // The maker, and who is told of every change.
      'rules/callers.ts': 2,
      // Whom the rules of fields do not ask.
      'rules/fieldRules.ts': 1,
      'entries/sql/predicate.ts': 4,
    });
    // The predicates of a viewer, and statements that read nothing for one: taken slugs, the entries that an entry refers to already,
    // the rows that a bulk locks, which its viewer may write, the size of a channel, publication
    // times that end a total, and what would change if its scopes did.
    expect(Object.keys(places(/\bchannelEntries\(/g)).sort()).toEqual([
      'entries/feed/publicationTimes.ts',
      'entries/redefinition/scopePreview.ts',
      'entries/scanCost.ts',
      'entries/sql/lockEntries.ts',
      'entries/sql/predicate.ts',
      'entries/sql/read.ts',
      'entries/sql/readReferences.ts',
    ]);
    expect(places(/\bentriesForWrite\(/g)).toEqual({ 'entries/sql/predicate.ts': 1, 'entries/sql/read.ts': 1 });
    expect(places(/\bfindForWrite\(/g)).toEqual({ 'entries/sql/read.ts': 1, 'resolvers/entries/find.ts': 1 });
    expect(places(/\bmakeViewer\(/g)).toEqual({
      'rules/callers.ts': 5,
      'rules/fieldRules.ts': 1,
      'resolvers/viewer.ts': 3,
    });
  });

  test('callers and viewers are made in the listed files alone', () => {
    expect(places(/(?<!readonly )\bcaller(?:: Caller)?(?::| =) \{/g)).toEqual({
      'http/openContext.ts': 1,
      'admission/rights.ts': 3,
      'cli/operator/operatorContext.ts': 1,
      // It stores sign-ins, which belong to no site.
      'features/signIn/context.ts': 1,
    });
    // The parameter of the audit log that has this name.
    expect(places(/\baudience: '|\bsubject: \{/g)).toEqual({ 'features/typed/openapi/parameters.ts': 1 });
  });

  test('each function of the rules requires its caller', () => {
    const signatures = sources.filter(([file]) =>
      /^(rules\/(access|callers|publication)|entries\/sql\/predicate)\.ts$/.test(file),
    );
    expect(signatures.length).toBe(4);
    for (const [file, text] of signatures) {
      const optional = [...text.matchAll(/(?:export )?function \w+\(([^)]*)\)/g)].filter(([, list]) =>
        /\?:| = /.test(list ?? ''),
      );
      expect([file, optional.map(([line]) => line)]).toEqual([file, []]);
    }
  });
});

describe('V19: a deny that the SQL takes for a grant', () => {
  const keys = ['*', 'users', 'ada', 'role:editor'];
  const combinations = Array.from({ length: 3 ** keys.length }, (_, index) =>
    keys.map((key, at) => [key, [undefined, true, false][Math.floor(index / 3 ** at) % 3]] as const),
  );

  /** The rule of docs/contract.md §3.3, written once more. */
  function allows(scope: string, isAda: boolean, rules: (typeof combinations)[number]): boolean {
    const says = (value: boolean, star: boolean): boolean =>
      rules.some(([key, rule]) => rule === value && (key === '*' ? star : isAda));
    if (says(true, true)) return true;
    if (says(false, !isAda || scope === 'public')) return false;
    return scope === 'public' || (scope === 'shared' && isAda);
  }

  test.each(['public', 'shared', 'private', 'none'] as const)(
    'SQL and rules agree on all grants and denies of four actors in a channel that is %s',
    async (scope) => {
      const { prisma } = app.database;
      const site = await buildSite(prisma);
      const channel = await buildChannel(prisma, site.id, { id: 'table', readScope: scope });
      const { session } = await buildCustomer(prisma, site.id, { id: 'ada', roles: ['editor'] });
      for (const [index, rules] of combinations.entries()) {
        const acl = Object.fromEntries(rules.flatMap(([key, read]) => (read === undefined ? [] : [[key, { read }]])));
        await buildEntry(prisma, channel, { slug: `n-${index}`, acl });
      }
      for (const isAda of [false, true]) {
        const caller = as(app, { token: site.public, ...(isAda && { session }) });
        const expected = combinations
          .flatMap((rules, index) => (allows(scope, isAda, rules) ? [`n-${index}`] : []))
          .sort();
        const { body } = await caller.rest<{ slug: string }[]>('GET', '/channels/table/entries?per_page=250');
        expect(body.map(({ slug }) => slug).sort()).toEqual(expected);
        const { entries } = expectData(
          await caller.gql<{ entries: { totalCount: number } }>(
            '{ entries(channel: "table", first: 1) { totalCount } }',
          ),
        );
        expect(entries.totalCount).toBe(expected.length);
      }
    },
  );
});
