// Access through the schema of the site (docs/contract.md §3, §4, §11.2): every kind of caller gets there what the static schema
// gives, for every scope, entries with grants and denials, and every state of publication.
import { beforeAll, expect, test } from '@jest/globals';
import { as, type Caller, type GraphqlAnswer } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const scopes = ['public', 'shared', 'private', 'none'] as const;
type Scope = (typeof scopes)[number];

/** An entry's own rules and state, by its slug. */
const entries = {
  plain: {},
  granted: { acl: { '*': { read: true, update: true, delete: true } } },
  denied: { acl: { '*': { read: false, update: false, delete: false } } },
  theirs: { acl: { 'role:editor': { read: true, update: true, delete: false } } },
  owned: { owner: 'ada' },
  draft: { status: 'draft' },
  later: { status: 'scheduled', publishAt: new Date('2999-01-01') },
} as const;
const slugs = Object.keys(entries);

const callers: Record<string, { caller: Caller; useAcl: boolean; knows: (scope: Scope) => boolean }> = {};

beforeAll(async () => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const customer = await buildCustomer(db, site.id, { id: 'ada', roles: ['editor'] });
  const user = await buildUser(db, { memberOf: [site.id] });
  for (const scope of scopes) {
    const each = { createScope: scope, readScope: scope, updateScope: scope, deleteScope: scope };
    const channel = await buildChannel(db, site.id, {
      ...{ id: scope, typeName: `T${scope}`, publishable: true, ...each },
      fields: [
        { name: 'title', type: 'string' },
        { name: 'friend', type: 'reference', channel: 'none' },
      ],
    });
    for (const [slug, rules] of Object.entries(entries)) {
      await buildEntry(db, channel, { slug, data: { title: `Title ${slug}` }, ...rules });
    }
  }
  const { session } = customer;
  const every = (): boolean => true;
  const add = (name: string, credentials: object, useAcl: boolean, knows: (scope: Scope) => boolean): void => {
    callers[name] = { caller: as(app, credentials), useAcl, knows };
  };
  add('master', { token: site.master }, false, every);
  add('master with useAcl', { token: site.master }, true, every);
  add('master with useAcl and a session', { token: site.master, session }, true, every);
  add('user', { token: user.token, site: site.id }, false, every);
  add('user with a session', { token: user.token, site: site.id, session }, false, every);
  add('public', { token: site.public }, false, (scope) => scope === 'public');
  add('public with a session', { token: site.public, session }, false, (scope) => scope !== 'none');
});

const names = [
  ...['master', 'master with useAcl', 'master with useAcl and a session', 'user', 'user with a session', 'public'],
  'public with a session',
];

type Data = Record<string, { nodes?: { slug: string }[] } | string | null> | null;

/** What an answer tells: data, and codes by path. */
function outcome({ status, data, errors = [] }: GraphqlAnswer<Data>): unknown {
  return { status, data, codes: errors.map(({ path, extensions }) => [path?.[0], extensions.code]) };
}

const read = '{ slug titleFieldValue status owner acl { actor read } version }';

/** One document for each door: reads, and writes that a version stops that no entry has. */
function documents(scope: Scope, useAcl: boolean): { typed: [string, string]; plain: [string, string] } {
  const type = `T${scope}`;
  const acl = `useAcl: ${useAcl}`;
  const each = (make: (slug: string) => string): string => slugs.map(make).join(' ');
  const typedWrites = each((slug) => {
    const at = `id: "${slug}", ifVersion: 99, ${acl}`;
    return `u_${slug}: update${type}(${at}, input: { title: "x" }) { id } d_${slug}: delete${type}(${at})`;
  });
  const plainWrites = each((slug) => {
    const at = `channel: "${scope}", id: "${slug}", ifVersion: 99, ${acl}`;
    const input = 'input: { fields: { title: "x" } }';
    return `u_${slug}: updateEntry(${at}, ${input}) { id } d_${slug}: deleteEntry(${at})`;
  });
  return {
    typed: [
      `{ list: ${scope}(sort: [SLUG_ASC], ${acl}) { totalCount nodes ${read} }
        some: ${scope}(where: { title: { startsWith: "title" } }, sort: [SLUG_ASC], ${acl}) { nodes { slug } }
        ${each((slug) => `f_${slug}: t${scope}(id: "${slug}", ${acl}) ${read}`)} }`,
      `mutation { ${typedWrites} }`,
    ],
    plain: [
      `{ list: entries(channel: "${scope}", sort: ["slug"], ${acl}) { totalCount nodes ${read} }
        some: entries(channel: "${scope}", where: { field: "title", op: STARTS_WITH, value: "title" }, sort: ["slug"], ${acl})
        { nodes { slug } }
        ${each((slug) => `f_${slug}: entry(channel: "${scope}", id: "${slug}", ${acl}) ${read}`)} }`,
      `mutation { ${plainWrites} }`,
    ],
  };
}

test.each(names)('%s gets the answers of the static schema in each known channel', async (name) => {
  const { caller, useAcl, knows } = callers[name] ?? {};
  if (!caller || useAcl === undefined || !knows) throw new Error(`Nobody is called ${name}.`);
  for (const scope of scopes) {
    const { typed, plain } = documents(scope, useAcl);
    for (const index of [0, 1] as const) {
      const answer = await caller.gql<Data>(typed[index], {}, { path: '/graphql/site' });
      if (!knows(scope)) {
        // The channel has no types here, so that nothing of it can be asked.
        expect([name, scope, answer.status, answer.data]).toEqual([name, scope, 400, undefined]);
        continue;
      }
      const expected = outcome(await caller.gql<Data>(plain[index]));
      expect({ name, scope, ...(outcome(answer) as object) }).toEqual({ name, scope, ...(expected as object) });
    }
  }
});

test.each(names)('%s creates in the channels where the static schema lets it', async (name) => {
  const { caller, useAcl = false, knows } = callers[name] ?? {};
  if (!caller || !knows) throw new Error(`Nobody is called ${name}.`);
  for (const scope of scopes.filter(knows)) {
    const typed = `mutation { made: createT${scope}(input: { title: "New" }, useAcl: ${useAcl}) { titleFieldValue status owner } }`;
    const plain = `mutation { made: createEntry(channel: "${scope}", input: { fields: { title: "New" } }, useAcl: ${useAcl})
      { titleFieldValue status owner } }`;
    const answer = outcome(await caller.gql<Data>(typed, {}, { path: '/graphql/site' }));
    expect([name, scope, answer]).toEqual([name, scope, outcome(await caller.gql<Data>(plain))]);
  }
});
