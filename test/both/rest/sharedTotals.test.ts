// What the counts that requests share may miss: what other processes have written within the last second, and nothing else
// (docs/contract.md §5.14). Entries are written to the database here as another process would: this one's counts are not told.
import { describe, expect, test } from '@jest/globals';
import type { Predicate } from '../../../src/entries/condition.ts';
import { entriesOn } from '../../../src/entries/model.ts';
import { SharedCounts } from '../../../src/entries/sharedCounts.ts';
import { makeViewer, type Viewer } from '../../../src/rules/callers.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectData } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

/** How long before its publication time an entry is asked for: less than counts are shared. */
const ahead = 400;

describe('as soon as its publication time has come, an entry is counted', () => {
  const path = '/channels/articles/entries';
  const hub = [
    { name: 'title', type: 'string' as const },
    { name: 'next', type: 'reference' as const, channel: 'articles' },
  ];
  interface Site {
    readonly master: ReturnType<typeof as>;
    readonly visitor: ReturnType<typeof as>;
  }
  /** Ways to count the entry: each is 0 before its time, and 1 from then on. */
  const ways: [string, (site: Site) => Promise<unknown>][] = [
    [
      'by the total of a page',
      async ({ visitor }) => (await visitor.rest('GET', `${path}?per_page=1&page=2`)).headers.get('x-total-count'),
    ],
    ['by a count', async ({ visitor }) => (await visitor.rest('GET', `${path}/count?title=Soon`)).body['count']],
    ['by a search', async ({ visitor }) => (await visitor.rest('GET', `${path}/count?q=soon`)).body['count']],
    [
      'by a preview of now',
      async ({ master }) => (await master.rest('GET', `${path}/count?as=anonymous`)).body['count'],
    ],
    [
      'by an entry that refers to it',
      async ({ visitor }) => (await visitor.rest('GET', '/channels/hubs/entries/count?next.title=Soon')).body['count'],
    ],
    [
      'by GraphQL',
      async ({ visitor }) =>
        expectData(
          await visitor.gql<{ entries: { totalCount: number } }>('{ entries(channel: "articles") { totalCount } }'),
        ).entries.totalCount,
    ],
  ];

  test('an entry is counted from its publication time on, in each way to count', async () => {
    const site = await buildSite(app.database.prisma);
    const channel = await buildChannel(app.database.prisma, site.id, {
      id: 'articles',
      publishable: true,
      fields: hub,
    });
    const hubs = await buildChannel(app.database.prisma, site.id, { id: 'hubs', fields: hub });
    const callers = { master: as(app, { token: site.master }), visitor: as(app, { token: site.public }) };
    const time = Date.now() + ahead;
    const data = { title: 'Soon' };
    const entry = { slug: 'soon', status: 'scheduled' as const, publishAt: new Date(time), data };
    const { id } = await buildEntry(app.database.prisma, channel, entry);
    await buildEntry(app.database.prisma, hubs, { data: { next: id } });
    const countAll = (): Promise<number[]> => Promise.all(ways.map(async ([, count]) => Number(await count(callers))));
    const earlier = await countAll();
    if (Date.now() < time) expect(earlier).toEqual(ways.map(() => 0));
    while ((await callers.visitor.rest('GET', `${path}/soon`)).status === 404) await countAll();
    expect(Object.fromEntries((await countAll()).map((count, at) => [ways[at]?.[0], count]))).toEqual(
      Object.fromEntries(ways.map(([what]) => [what, 1])),
    );
  });
});

describe('a count that is shared ends at the publication time', () => {
  const time = Date.UTC(2030, 0, 1);
  const fields = [
    { name: 'title', type: 'string' as const },
    { name: 'next', type: 'reference' as const, channel: 'articles' },
  ];

  /** Counts the hubs or articles that match at some times, one after the other, for an anonymous visitor or a preview of one. */
  async function countAt(of: 'articles' | 'hubs', within: Viewer | null, times: readonly number[]): Promise<number[]> {
    const { statements, prisma: db } = app.database;
    const site = await buildSite(db);
    const articles = await buildChannel(db, site.id, { id: 'articles', publishable: true, fields });
    const hubs = await buildChannel(db, site.id, { id: 'hubs', fields });
    const { id } = await buildEntry(db, articles, { slug: 'soon', status: 'scheduled', publishAt: new Date(time) });
    await buildEntry(db, hubs, { data: { next: id } });
    const leads: Predicate = { through: 'next', channel: articles, target: { and: [] } };
    const model = entriesOn(statements, { counts: new SharedCounts(), creates: null });
    const counted: number[] = [];
    for (const each of times) {
      const viewer = { ...makeViewer({ kind: 'public', customer: null, scopes: null }, true, new Date(each)), within };
      const asked = of === 'hubs' ? { channel: hubs, predicate: leads } : { channel: articles, predicate: { and: [] } };
      counted.push(
        await model.countVisible({ ...asked, viewer, baseUrl: '', maxMilliseconds: null, search: null }, 10),
      );
    }
    return counted;
  }

  const master = makeViewer({ kind: 'master', customer: null, scopes: null }, false, new Date(time));
  test.each([
    ['of the channel', 'articles', null],
    ['of what refers to an entry of another channel', 'hubs', null],
    ['of a preview of now', 'articles', master],
  ] as const)('a shared count ends at the publication time: %s', async (_what, of, within) => {
    const times = [time - 1, time, time - 1, time + 5, time - 2];
    expect(await countAt(of, within, times)).toEqual([0, 1, 0, 1, 0]);
  });
});

test('in an unknown channel, lists agree with fetches after writes of other processes', async () => {
  const { db, channel, visitor } = await buildScene(app, {
    readScope: 'none',
    fields: [{ name: 'title', type: 'string' }],
  });
  const { id } = await buildEntry(db, channel, { slug: 'one', data: { title: 'One' } });
  const [list, query] = [
    '/channels/articles/entries',
    '{ entries(channel: "articles", where: { field: "title", value: "One" }) { nodes { slug } } }',
  ];
  const ask = async (): Promise<unknown> => {
    const { status } = await visitor.rest('GET', `${list}/one`);
    const rows = await Promise.all(
      ['', '?title=One', '?sort=title', '?only=title'].map(async (question) => {
        const answer = await visitor.rest<unknown[]>('GET', `${list}${question}`);
        return answer.body.length;
      }),
    );
    const { entries } = expectData(await visitor.gql<{ entries: { nodes: unknown[] } }>(query));
    const unknown = await visitor.rest('GET', `${list}?nothing=One`);
    return { status, rows: [...rows, entries.nodes.length], unknown: unknown.status };
  };
  const hidden = { status: 404, rows: [0, 0, 0, 0, 0], unknown: 200 };
  const seen = { status: 200, rows: [1, 1, 1, 1, 1], unknown: 400 };
  const setAcl = (acl: object) =>
    db.$executeRaw`UPDATE entries e SET acl = ${JSON.stringify(acl)}::jsonb
      WHERE e.site_id = ${channel.siteId} AND e.id = ${id}::uuid -- test`;
  expect(await ask()).toEqual(hidden);
  await setAcl({ '*': { read: true } });
  expect(await ask()).toEqual(seen);
  await setAcl({});
  expect(await ask()).toEqual(hidden);
});
