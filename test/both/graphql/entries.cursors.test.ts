// Cursors of a list of entries: pages behind them never repeat or skip, and one from elsewhere is told (docs/contract.md §5, §7).
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { databaseKind } from '../../support/db.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

interface Page {
  readonly nodes: { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

function list(caller: Caller, variables: Record<string, unknown>) {
  return caller.gql<{ entries: Page }>(
    `query ($channel: ID! = "articles", $sort: [String!], $first: Int, $after: String) {
      entries(channel: $channel, sort: $sort, first: $first, after: $after) {
        nodes { id }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    variables,
  );
}

/** An entry that differs from others, and agrees with some, in all that lists sort by; the same for the same number. */
async function addEntry(channel: Channel, number: number): Promise<string> {
  const titles = ['b', 'B', 'a', 'Äb', '', undefined, '😀', `${'long '.repeat(70)}b`, `${'long '.repeat(70)}a`];
  const title = titles[number % titles.length];
  const { id } = await buildEntry(app.database.prisma, channel, {
    slug: `s${(number * 7919) % 1000}-${number}`,
    createdAt: new Date(1_700_000_000_000 + (number % 3) * 1000),
    status: (['draft', 'scheduled', 'published'] as const)[number % 3] ?? 'draft',
    publishAt: number % 3 === 1 || number % 4 === 0 ? new Date(1_800_000_000_000 + (number % 2)) : null,
    owner: ['ada', null, 'Ada', null, 'bob'][number % 5] ?? null,
    acl: number % 2 === 0 ? {} : { [`c${number % 3}`]: { read: true } },
    data: title === undefined ? {} : { title },
  });
  return id;
}

/** A site whose channel `articles` holds such entries. */
async function buildArticles(count: number): Promise<{ site: TestSite; channel: Channel; ids: string[] }> {
  const site = await buildSite(app.database.prisma);
  const channel = await buildChannel(app.database.prisma, site.id, { id: 'articles', publishable: true });
  const ids: string[] = [];
  for (let number = 0; number < count; number += 1) ids.push(await addEntry(channel, number));
  return { site, channel, ids };
}

/** The cursor behind the first entry of a list. */
async function cursorOf(caller: Caller, variables: Record<string, unknown> = {}): Promise<string> {
  const { entries } = expectData(await list(caller, { ...variables, first: 1 }));
  return entries.pageInfo.endCursor ?? '';
}

describe('allowed: all pages forward', () => {
  const fields = ['id', 'url', 'short_id', 'slug', 'channel', 'created_at', 'updated_at', 'title_field_value'];
  const all = [...fields, '_status', '_publish_at', '_owner', '_acl'];
  // The embedded database is several times slower, and compares alike: a few sorts are enough for it.
  const single = databaseKind === 'postgresql' ? all.flatMap((field) => [[field], [`-${field}`]]) : [];
  const sorts = [
    ...single,
    ['_status', '-_publish_at', 'title_field_value'],
    ['-_owner', 'created_at'],
    ['channel', '-_publish_at'],
  ];
  test.each(sorts.map((sort) => [sort]))('by %j, while entries are added: none twice, none skipped', async (sort) => {
    const { site, channel, ids } = await buildArticles(14);
    const master = as(app, { token: site.master });
    const seen: string[] = [];
    let after: string | null = null;
    let page: Page;
    let added = 100;
    do {
      ({ entries: page } = expectData(await list(master, { sort, first: 3, after })));
      seen.push(...page.nodes.map(({ id }) => id));
      after = page.pageInfo.endCursor;
      if (added < 108) await addEntry(channel, (added += 1));
    } while (page.pageInfo.hasNextPage && seen.length < 100);
    expect(new Set(seen).size).toBe(seen.length);
    expect(seen).toEqual(expect.arrayContaining(ids));
    const whole = expectData(await list(master, { sort, first: 250 })).entries.nodes.map(({ id }) => id);
    expect(seen).toEqual(whole.filter((id) => seen.includes(id)));
  });

  test('a cursor outlives its entry, and the end of the list', async () => {
    const { site, channel } = await buildArticles(3);
    const master = as(app, { token: site.master });
    const sort = ['id'];
    const { nodes, pageInfo } = expectData(await list(master, { sort, first: 2 })).entries;
    await app.database.prisma.entry.deleteMany({ where: { siteId: site.id, id: nodes[1]?.id ?? '' } });
    const rest = expectData(await list(master, { sort, after: pageInfo.endCursor })).entries;
    expect(rest.nodes.length).toBe(1);
    const later = await addEntry(channel, 50);
    const more = expectData(await list(master, { sort, after: rest.pageInfo.endCursor })).entries;
    expect(more.nodes).toEqual([{ id: later }]);
  });
});

describe('invalid', () => {
  const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 8);

  test('edited, cut, or added to', async () => {
    const { site } = await buildArticles(2);
    const master = as(app, { token: site.master });
    const cursor = await cursorOf(master);
    expectData(await list(master, { after: cursor }));
    const edited = [0, 3, 8, 13, 21, 34].map((at) => {
      const other = cursor[at] === 'A' ? 'B' : 'A';
      return cursor.slice(0, at) + other + cursor.slice(at + 1);
    });
    const cut = [1, 2, 3, 4, 8, 16].flatMap((length) => [cursor.slice(0, -length), cursor.slice(length)]);
    for (const after of [
      ...edited,
      ...cut,
      cursor + cursor,
      `${cursor}AAAA`,
      cursor.toLowerCase(),
      'A'.repeat(10_000),
    ]) {
      expectRefusal(await list(master, { after }), 'BAD_USER_INPUT');
    }
  });

  test.each(['!', ' ', '=', '\n', '%'])('with %j behind, within or before it', async (mark) => {
    const { site } = await buildArticles(2);
    const master = as(app, { token: site.master });
    const cursor = await cursorOf(master);
    for (const after of [cursor + mark, cursor.slice(0, 20) + mark + cursor.slice(20), mark + cursor]) {
      expectRefusal(await list(master, { after }), 'BAD_USER_INPUT');
    }
  });

  test('of another channel, another site, another sort, another list', async () => {
    const { site } = await buildArticles(2);
    const { site: other } = await buildArticles(2);
    const db = app.database.prisma;
    const pages = await buildChannel(db, site.id, { id: 'pages' });
    await addEntry(pages, 1);
    await buildCustomer(db, site.id);
    const master = as(app, { token: site.master });
    const customers = '{ customers(first: 1) { pageInfo { endCursor } } }';
    const { data } = await master.gql<{ customers: Page }>(customers);
    const sort = ['created_at'];
    const foreign = [
      await cursorOf(master, { channel: 'pages', sort }),
      await cursorOf(as(app, { token: other.master }), { sort }),
      await cursorOf(master, { sort: ['-created_at'] }),
      await cursorOf(master, { sort: ['updated_at'] }),
      await cursorOf(master, { sort: ['created_at', 'id'] }),
      data.customers.pageInfo.endCursor,
    ];
    for (const after of foreign) expectRefusal(await list(master, { sort, after }), 'BAD_USER_INPUT');
    expectData(await list(master, { sort, after: await cursorOf(master, { sort }) }));
  });

  test('of a channel that was deleted and created anew', async () => {
    const { site } = await buildArticles(2);
    const master = as(app, { token: site.master });
    const after = await cursorOf(master);
    expectData(await master.gql('mutation { deleteChannel(id: "articles", confirm: "articles") }'));
    expectData(await master.gql('mutation { createChannel(input: { id: "articles" }) { id } }'));
    expectRefusal(await list(master, { after }), 'BAD_USER_INPUT');
  });

  // A checksum keeps accidents out, not somebody who works it out: what is in a cursor is still input.
  test.each([
    ['nothing', []],
    ['one value too few', ['2020-01-01T00:00:00+00:00']],
    ['one value too many', ['2020-01-01T00:00:00+00:00', '0192f1a0-0000-7000-8000-000000000000', 'x']],
    ['no time', ['yesterday', '0192f1a0-0000-7000-8000-000000000000']],
    ['a number for a time', [5, '0192f1a0-0000-7000-8000-000000000000']],
    ['null for what is never absent', [null, '0192f1a0-0000-7000-8000-000000000000']],
    ['no id', ['2020-01-01T00:00:00+00:00', 'x']],
    ['null for an id', ['2020-01-01T00:00:00+00:00', null]],
    ['a NUL', ['2020-01-01T00:00:00+00:00', '\u0000']],
  ])('made up, with %s in it', async (_name, position) => {
    const { site } = await buildArticles(2);
    const master = as(app, { token: site.master });
    const text = Buffer.from(await cursorOf(master), 'base64url').toString();
    const [list_] = JSON.parse(text.slice(8)) as [string];
    const body = JSON.stringify([list_, position]);
    const after = Buffer.from(digest(body) + body).toString('base64url');
    expectRefusal(await list(master, { after }), 'BAD_USER_INPUT');
  });
});
