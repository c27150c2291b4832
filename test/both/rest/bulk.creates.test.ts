// Creates that follow each other in a bulk are stored by one statement (src/resolvers/entries/create.ts): what becomes of
// each is what became of it by itself, after those before it.
import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { suiteApp } from '../../support/scene.ts';
import { seedOf } from '../../support/seed.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';

type Data = Record<string, unknown>;
interface Answered {
  readonly status: number;
  readonly body: Data;
}

const app = await suiteApp({ RATE_LIMIT: 'off' });
let site: TestSite;
let master: Caller;
beforeAll(async () => {
  site = await buildSite(app.database.prisma);
  master = as(app, { token: site.master });
});

/** Payloads that are in each other's way: by their slugs, by unique values, by what they refer to; and invalid ones. */
const payload: fc.Arbitrary<Data> = fc.record(
  {
    title: fc.constantFrom('One', 'one!', 'Two', 'There'),
    slug: fc.constantFrom('one', 'one-2', 'two', 'there', 'there-2', 'No Slug'),
    code: fc.constantFrom('a', 'b', 'there', 7),
    rank: fc.constantFrom(1, 1.0, 2, 100),
    next: fc.constantFrom('one', 'one-2', 'two', 'there', 'nowhere'),
    unknown: fc.constant(1),
  },
  { requiredKeys: [] },
);

let channels = 0;
/** A channel with one entry. @param refers whether its entries may refer to each other */
async function buildOne(refers: boolean): Promise<Channel> {
  const id = `channel-${channels++}`;
  const next = { name: 'next', type: 'reference' as const, channel: id };
  const channel = await buildChannel(app.database.prisma, site.id, {
    id,
    fields: [
      { name: 'title', type: 'string' },
      { name: 'code', type: 'string', unique: true },
      { name: 'rank', type: 'integer', unique: true },
      ...(refers ? [next] : [{ name: 'next', type: 'string' as const }]),
    ],
  });
  await buildEntry(app.database.prisma, channel, { slug: 'there', data: { title: 'There', code: 'there', rank: 100 } });
  return channel;
}

/** What of an answer does not differ from channel to channel. */
function essence({ status, body }: Answered): unknown {
  const { next } = body;
  const slugOfNext = typeof next === 'object' && next !== null && 'slug' in next ? next.slug : next;
  if (status === 201) return [status, body['slug'], body['title'], body['code'], body['rank'], slugOfNext];
  const errors = (body['errors'] ?? []) as { field: string }[];
  return [status, body['code'], body['detail'], errors.map((each) => JSON.stringify(each)).sort()];
}

async function inBulk({ id }: Channel, payloads: readonly Data[]): Promise<unknown[]> {
  const operations = payloads.map((data) => ({ op: 'create', data }));
  const { body } = await master.rest<{ results: { status: number; entry?: Data; error?: Data }[] }>(
    'POST',
    `/channels/${id}/entries/bulk`,
    { body: { operations } },
  );
  return body.results.map(({ status, entry, error }) => essence({ status, body: entry ?? error ?? {} }));
}

async function oneByOne({ id }: Channel, payloads: readonly Data[]): Promise<unknown[]> {
  const results: unknown[] = [];
  for (const body of payloads)
    results.push(essence(await master.rest<Data>('POST', `/channels/${id}/entries`, { body })));
  return results;
}

test.each([
  ['that may not refer to each other', false],
  ['that may', true],
])('creates of a bulk are stored as one by one: entries %s', async (_what, refers) => {
  const property = fc.asyncProperty(fc.array(payload, { minLength: 2, maxLength: 15 }), async (payloads) => {
    const [together, apart] = [await buildOne(refers), await buildOne(refers)];
    expect(await inBulk(together, payloads)).toEqual(await oneByOne(apart, payloads));
  });
  await fc.assert(property, { numRuns: databaseKind === 'postgresql' ? 40 : 10, seed: seedOf(process.env['SEED']) });
});

test('an entry of a bulk may refer to one that is created before it', async () => {
  const [, second] = await inBulk(await buildOne(true), [{ title: 'First' }, { title: 'Second', next: 'first' }]);
  expect(second).toEqual(expect.arrayContaining([201, 'second', 'first']));
});

test('ten entries of a bulk with one title get suffixes in their order, and one more a random suffix', async () => {
  const channel = await buildOne(false);
  const slugs = (await inBulk(
    channel,
    Array.from({ length: 11 }, () => ({ title: 'Same' })),
  )) as [number, string][];
  expect(slugs.map(([, slug]) => slug)).toEqual([
    ...['same', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `same-${n}`)],
    ...[expect.stringMatching(/^same-[0-9a-z]{10}$/), expect.stringMatching(/^same-[0-9a-z]{10}$/)],
  ]);
});

test('a conflict names the unique fields in the channel’s order, alone and in a bulk', async () => {
  const names = ['d', 'b', 'e', 'a', 'c'];
  const channel = await buildChannel(app.database.prisma, site.id, {
    id: `channel-${channels++}`,
    fields: names.map((name) => ({ name, type: 'string', unique: true })),
  });
  const owners = [0, 1, 2, 3, 4].map((number) => Object.fromEntries(names.map((name) => [name, `${name}${number}`])));
  for (const data of [...owners].reverse()) await buildEntry(app.database.prisma, channel, { data });
  const claims = owners.map((_, number) =>
    Object.fromEntries(names.map((name, index) => [name, `${name}${(number + index) % 5}`])),
  );
  const alone = await oneByOne(channel, claims);
  const refused = [409, 'conflict', expect.stringContaining(`: ${names.join(', ')}.`), expect.any(Array)];
  expect(alone).toEqual(claims.map(() => refused));
  expect(await inBulk(channel, claims)).toEqual(alone);
});
