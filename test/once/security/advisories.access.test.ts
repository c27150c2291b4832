// Published holes of systems like this one, by the shapes V1 to V26, tried here: a path that does not carry the rule,
// and rows that are judged wrongly.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildEntries, buildSites, type Sites } from '../../support/sites.ts';

let app: TestApp;
let sites: Sites;
beforeAll(async () => {
  app = await startApp();
  sites = await buildSites(app);
});
afterAll(() => app.close());

const root = fileURLToPath(new URL('../../../src', import.meta.url));
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.startsWith('generated'))
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const);

/** How often a pattern stands in each file of src/. */
function places(pattern: RegExp): Record<string, number> {
  const found = sources.map(([file, text]) => [file, [...text.matchAll(pattern)].length] as const);
  return Object.fromEntries(found.filter(([, count]) => count > 0));
}

// Bulk paths are tried in advisories.bulk.test.ts.
describe('V1: a new way to write that does not carry the row rule', () => {
  test('every statement that writes entries is one of these, which two files alone decide on', () => {
    expect(places(/\b(INSERT INTO|UPDATE|DELETE FROM) entries\b/g)).toEqual({
      'entries/write.ts': 3,
      // Derives what is shown of what an entry was given, after its channel's fields changed.
      'entries/outdated.ts': 1,
    });
    // The first start's demo is nobody's request.
    expect(places(/\bentry\.(create|update|delete|upsert)\w*\(/g)).toEqual({ 'cli/demo.ts': 1 });
    const callers = places(/(?<!function )\b(insertEntries|updateRow|deleteRow)\(/g);
    expect(callers).toEqual({ 'resolvers/entries/create.ts': 2, 'resolvers/entries/update.ts': 2 });
  });

  test('many writes in one request: each is decided on its own', async () => {
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
  const grabs = [
    { _owner: 'eve' },
    { _acl: { eve: { read: true, update: true, delete: true } } },
    { _owner: null, _acl: { '*': { read: true } } },
    { channel: 'forms', id: '0198b2c2-7a7a-7000-8000-000000000001', short_id: 'ABCDEFGHIJ', url: 'x' },
    { _status: 'published', _publish_at: null },
  ];

  test.each(['PUT', 'PATCH', 'updateEntry'])(
    '%s: an owner and a grantee give nothing away, alone or among legal members',
    async (door) => {
      const { prisma } = app.database;
      for (const who of ['ada', 'eve']) {
        for (const grab of grabs) {
          for (const legal of [{}, { note: 'mine' }]) {
            const site = await buildSite(prisma);
            const channel = await buildChannel(prisma, site.id, {
              id: 'forms',
              publishable: true,
              updateScope: 'private',
              readScope: 'private',
            });
            await buildChannel(prisma, site.id, { id: 'articles' });
            const before = await buildEntry(prisma, channel, {
              owner: 'ada',
              acl: { eve: { update: true, read: true } },
            });
            const caller = as(app, {
              token: site.public,
              session: (await buildCustomer(prisma, site.id, { id: who })).session,
            });
            const { _owner: owner, _acl: acl, _status: status } = grab as Record<string, unknown>;
            const rules = Object.entries(acl ?? {}).map(([actor, rule]) => ({ actor, ...(rule as object) }));
            const answer =
              door === 'updateEntry'
                ? await caller.gql(
                    'mutation ($id: ID!, $input: EntryInput!) { updateEntry(channel: "forms", id: $id, input: $input) { id } }',
                    {
                      id: before.id,
                      input: {
                        fields: legal,
                        ...(owner !== undefined && { owner }),
                        ...(acl !== undefined && { acl: rules }),
                        ...(status !== undefined && { status: 'PUBLISHED' }),
                      },
                    },
                  )
                : await caller.rest(door, `/channels/forms/entries/${before.id}`, { body: { ...grab, ...legal } });
            expect([who, grab, answer.status]).toEqual([who, grab, 200]);
            const after = await prisma.entry.findUnique({ where: { siteId_id: { siteId: site.id, id: before.id } } });
            const kept = { id: before.id, shortId: before.shortId, channelUid: channel.uid, siteId: site.id };
            expect(after).toMatchObject({
              ...kept,
              owner: 'ada',
              acl: before.acl,
              data: legal,
              status: 'draft',
              publishAt: null,
            });
          }
        }
      }
    },
  );

  test('a site, a channel or a version to move to is no member of a GraphQL payload', async () => {
    for (const member of ['channel: "forms"', 'site: "x"', 'siteId: "x"', 'id: "x"', 'version: 9', 'createdAt: "x"']) {
      const query = `mutation { updateEntry(channel: "articles", id: "open", input: { ${member} }) { id } }`;
      expect([member, (await sites.ask('master').gql(query)).status]).toEqual([member, 400]);
    }
  });
});

describe('V16: a call that forgets to ask for access control', () => {
  test('bypassing it has one maker, and one that looks past it for writes: each place is written down', () => {
    expect(places(/return \{ is: 'unchecked' \}/g)).toEqual({ 'rules/access.ts': 1 });
    expect(places(/'unchecked'/g)).toEqual({ 'rules/access.ts': 7, 'entries/predicate.ts': 2 });
    expect(places(/\bsubjectOf\(/g)).toEqual({ 'rules/access.ts': 1, 'rules/visibility.ts': 1 });
    // In where.ts, what it is and the predicate on it; in entries.ts, which slugs are taken; in entryWrites.ts, the row
    // that a write is decided on; in references.ts, what an entry refers to already, though its writer may not see it; in
    // bulk.ts, the rows that are locked for the operations that decide on them, of which nothing is read.
    expect(places(/\bentriesOf\(/g)).toEqual({
      'entries/predicate.ts': 2,
      'entries/lockEntries.ts': 1,
      'entries/read.ts': 1,
      'entries/referenceSql.ts': 1,
      'resolvers/entries/update.ts': 1,
    });
    expect(places(/\bviewerOf\(/g)).toEqual({
      'rules/visibility.ts': 1,
      'resolvers/entries/read.ts': 2,
      'resolvers/entries/create.ts': 2,
      'resolvers/entries/update.ts': 2,
      'resolvers/references/loader.ts': 1,
    });
  });

  test('nobody makes up a caller, or a viewer', () => {
    expect(places(/(?<!readonly )\bcaller: \{/g)).toEqual({ 'context.ts': 1 });
    expect(places(/\baudience: '|\bsubject: \{/g)).toEqual({});
  });

  test('the rules take no caller for granted: each argument is required', () => {
    const signatures = sources.filter(([file]) =>
      /^(rules\/(access|visibility|publication)|entries\/predicate)\.ts$/.test(file),
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
    'all grants and denies of four actors, in a channel that is %s',
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
