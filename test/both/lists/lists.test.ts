// Properties of lists: for random definitions, entries, filters, sorts and callers, both doors answer what is worked out in
// memory from the entries that the caller may read; the count is the length of all pages together.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { expectData } from '../../support/expect.ts';
import { suiteApp } from '../../support/scene.ts';
import { seedOf } from '../../support/seed.ts';
import { passes, sorted, type Filter, type Read } from './oracle.ts';
import { kindsOf, worlds, type Question, type World } from './worlds.ts';

const { LISTS_SEED, LISTS_RUNS } = process.env;
const runs = Number(LISTS_RUNS ?? (databaseKind === 'postgresql' ? 40 : 8));
const seed = seedOf(LISTS_SEED);

const app = await suiteApp({ RATE_LIMIT: 'off' });

test('lists, counts and pages of random entries are those of a model of the contract', async () => {
  process.stdout.write(`lists: seed ${seed}\n`);
  const property = fc.asyncProperty(worlds, check);
  await expect(fc.assert(property, { numRuns: runs, seed })).resolves.toBeUndefined();
}, 300_000);

async function check(world: World): Promise<void> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const fields = world.fields.map((field) => ({ ...field }));
  const channel = await buildChannel(db, site.id, { id: 'things', publishable: true, fields });
  for (const [at, { values, status, hidden }] of world.rows.entries()) {
    const acl = hidden ? { '*': { read: false } } : {};
    await buildEntry(db, channel, { data: values, status, acl, createdAt: new Date(1e12 + Math.floor(at / 2)) });
  }
  for (const token of [site.master, site.public]) {
    const caller = as(app, { token });
    const readable = await everything(caller);
    const isPublic = token === site.public;
    const shown = world.rows.filter(({ status, hidden }) => !isPublic || (status === 'published' && !hidden));
    expect(readable).toHaveLength(shown.length);
    for (const question of world.questions) await ask(caller, question, readable, world);
  }
}

async function everything(caller: Caller): Promise<Read[]> {
  return (await caller.rest<Read[]>('GET', '/channels/things/entries?per_page=250')).body;
}

async function ask(
  caller: Caller,
  { filter, sort, size }: Question,
  readable: readonly Read[],
  world: World,
): Promise<void> {
  const kinds = kindsOf(world.fields);
  const wanted = sorted(
    readable.filter((entry) => passes(filter, entry, kinds)),
    sort,
  ).map(({ id }) => id);
  const parameters = new URLSearchParams({ where: JSON.stringify(whereOf(filter)) });
  const counted = await caller.rest('GET', `/channels/things/entries/count?${parameters.toString()}`);
  expect([counted.status, counted.body]).toEqual([200, { count: wanted.length }]);
  expect(await pagesOf(caller, parameters, sort, size)).toEqual(wanted);
  const query = `query ($where: EntryFilter, $sort: [String!]) {
    entries(channel: "things", where: $where, sort: $sort, first: 250) { totalCount nodes { id } } }`;
  const { entries } = expectData(
    await caller.gql<{ entries: { totalCount: number; nodes: { id: string }[] } }>(query, {
      where: inputOf(filter),
      sort,
    }),
  );
  expect(entries.nodes.map(({ id }) => id)).toEqual(wanted);
  expect(entries.totalCount).toBe(wanted.length);
}

/** The ids of all pages, by cursor. */
async function pagesOf(
  caller: Caller,
  parameters: URLSearchParams,
  sort: readonly string[],
  size: number,
): Promise<string[]> {
  const ids: string[] = [];
  const page = new URLSearchParams({ ...Object.fromEntries(parameters), sort: sort.join(','), per_page: String(size) });
  for (;;) {
    const answer = await caller.rest<Read[]>('GET', `/channels/things/entries?${page.toString()}`);
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
    ids.push(...answer.body.map(({ id }) => id));
    const next = answer.headers.get('x-next-cursor');
    if (next === null) return ids;
    page.set('cursor', next);
  }
}

function whereOf(filter: Filter): object {
  if ('and' in filter) return { and: filter.and.map(whereOf) };
  if ('or' in filter) return { or: filter.or.map(whereOf) };
  if ('not' in filter) return { not: whereOf(filter.not) };
  return { [filter.field]: { [filter.op]: filter.value } };
}

function inputOf(filter: Filter): object {
  if ('and' in filter) return { and: filter.and.map(inputOf) };
  if ('or' in filter) return { or: filter.or.map(inputOf) };
  if ('not' in filter) return { not: inputOf(filter.not) };
  return { ...filter, op: filter.op.toUpperCase() };
}
