// The totals of a list: exact up to 10,000, beyond that only on request (docs/contract.md §5; Prefer: RFC 7240).
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildSite, type TestSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
let site: TestSite;
let channel: Channel;
beforeAll(async () => {
  site = await buildSite(app.database.prisma);
  channel = await buildChannel(app.database.prisma, site.id, { id: 'many' });
});

/**
 * Adds entries `from` to `to`, some thousands in one statement: the embedded database holds the event loop for as long as
 * one takes, which would let kept connections run out unnoticed.
 */
async function addEntries(from: number, to: number): Promise<void> {
  for (let start = from; start <= to; start += 5_000) {
    await app.database.prisma.$executeRaw`
      INSERT INTO entries (site_id, id, channel_uid, short_id, slug, created_at, updated_at, status, acl, data)
      SELECT ${channel.siteId}, gen_random_uuid(), ${channel.uid}::uuid, 'A' || lpad(n::text, 9, '0'), 'e' || n,
        now(), now(), 'published', '{}', '{}'
      FROM generate_series(${start}::int, ${Math.min(start + 4_999, to)}::int) AS n`;
    await nextTurn();
  }
  // As if another process had written them: for a second, totals need not count them (docs/contract.md §5).
  await sleep(1_000);
}

function list(token: string, query: string, prefer?: string): Promise<RestAnswer<unknown[]>> {
  const headers = prefer === undefined ? {} : { Prefer: prefer };
  return as(app, { token }).rest<unknown[]>('GET', `/channels/many/entries${query}`, { headers });
}

/** What an answer says of the total: exactly, pages, at least, preference applied, and whether it links to the end. */
function toldBy({ status, headers }: RestAnswer<unknown>): unknown[] {
  const names = ['x-total-count', 'x-total-pages', 'x-total-count-at-least', 'preference-applied'];
  return [status, ...names.map((name) => headers.get(name)), headers.get('link')?.includes('rel="last"') ?? false];
}

// The steps build on each other: rows are added between them.
describe('allowed', () => {
  test('the total of a list is exact up to 10,000 matches, on each page', async () => {
    await addEntries(1, 10_000);
    for (const query of ['', '?page=2', '?page=40&per_page=250', '?page=41&per_page=250']) {
      const pages = query.includes('250') ? '40' : '334';
      expect([query, toldBy(await list(site.public, query))]).toEqual([query, [200, '10000', pages, null, null, true]]);
    }
  });

  test('the total of a list beyond 10,000 matches is “at least 10,000”, on each page', async () => {
    await addEntries(10_001, 10_001);
    for (const query of ['', '?page=2', '?page=41&per_page=250', '?page=300&per_page=250']) {
      expect([query, toldBy(await list(site.public, query))]).toEqual([query, [200, null, null, '10000', null, false]]);
    }
  });

  test('a list without an exact total has a link to the next page', async () => {
    expect((await list(site.public, '?per_page=250')).headers.get('link')).toContain('page=2>; rel="next"');
    expect((await list(site.public, '?per_page=250&page=41')).headers.get('link')).not.toContain('rel="next"');
  });

  test('Prefer: count=exact counts all matches', async () => {
    const exactly = [200, '10001', '334', null, 'count=exact', true];
    for (const prefer of ['count=exact', 'respond-async, count=exact', 'Count="exact"', 'count=exact; x=1']) {
      expect([prefer, toldBy(await list(site.public, '', prefer))]).toEqual([prefer, exactly]);
    }
  });

  test('Prefer: count=none never counts, also on a page that shows the total', async () => {
    for (const query of ['', '?page=41&per_page=250']) {
      expect(toldBy(await list(site.public, query, 'count=none'))).toEqual([
        200,
        null,
        null,
        null,
        'count=none',
        false,
      ]);
    }
  });

  test('another preference is ignored, as RFC 7240 asks', async () => {
    for (const prefer of ['count=some', 'count', 'return=minimal', 'xcount=none', '']) {
      expect([prefer, toldBy(await list(site.public, '', prefer))]).toEqual([
        prefer,
        [200, null, null, '10000', null, false],
      ]);
    }
  });

  test('an exact count ends at 100,000 for a public token, and counts all for a master token', async () => {
    await addEntries(10_002, 100_000);
    expect(toldBy(await list(site.public, '', 'count=exact'))).toEqual([
      200,
      '100000',
      '3334',
      null,
      'count=exact',
      true,
    ]);
    await addEntries(100_001, 100_001);
    expect(toldBy(await list(site.public, '', 'count=exact'))).toEqual([
      200,
      null,
      null,
      '100000',
      'count=exact',
      false,
    ]);
    const [status, total, , atLeast] = toldBy(await list(site.master, '', 'count=exact'));
    expect([status, total, atLeast]).toEqual([200, '100001', null]);
  }, 600_000);

  test('no link leads to a page that begins beyond row 100,000', async () => {
    await addEntries(100_002, 100_251);
    const answer = await list(site.master, '?per_page=250&page=401', 'count=exact');
    expect([answer.status, answer.body.length, answer.headers.get('x-total-count')]).toEqual([200, 250, '100251']);
    expect(answer.headers.get('link')).not.toMatch(/[?&]page=402\b/);
  });

  test('totalCount of GraphQL counts all matches for a master token, and up to 100,000 for a public one', async () => {
    const query = '{ entries(channel: "many", first: 1) { totalCount } }';
    expect((await as(app, { token: site.master }).gql(query)).data).toEqual({ entries: { totalCount: 100_251 } });
    expect((await as(app, { token: site.public }).gql(query)).data).toEqual({ entries: { totalCount: null } });
  });
});
