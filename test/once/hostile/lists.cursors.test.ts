// Hostile cursors and searches: a place holds for its own list alone, and a search is answered whatever it says. What is
// refused of other parameters is in lists.test.ts.
import { describe, expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { words } from '../../support/words.ts';
import { expectRestRefused } from '../../support/refused.ts';
import { buildListed } from './listed.ts';

const path = '/channels/things/entries';
const { site, other } = await buildListed();

describe('a cursor', () => {
  const all = [
    ...[
      '',
      ...words(
        'sort=year sort=-year sort=year,slug year.gt=-1 year.gt=-2 year.gte=-1 q=tea q=tea+-milk q=tea&sort=slug tags=tea',
      ),
    ],
    ...words('where={"year":{"gt":-1}} title.contains=tea title.starts_with=tea where={"not":{"year":7}}'),
    'where={"or":[{"year":0},{"year":2}]}',
  ];
  const asked = (query: string): string =>
    query
      .split('&')
      .map((each) => encodeURI(each))
      .join('&');
  const cursorOf = async (query: string): Promise<string> => {
    const answer = await site.rest('GET', `${path}?per_page=1&${asked(query)}`);
    expect([query, answer.status]).toEqual([query, 200]);
    return answer.headers.get('x-next-cursor') ?? '';
  };

  test.each(all)('a cursor of ?%s is valid for it, and for no other filter, search or order', async (query) => {
    const cursor = await cursorOf(query);
    const own = await site.rest<unknown[]>('GET', `${path}?per_page=2&${asked(query)}&cursor=${cursor}`);
    expect([own.status, own.body.length > 0]).toEqual([200, true]);
    for (const another of all.filter((each) => each !== query)) {
      const answer = await site.rest('GET', `${path}?${asked(another)}&cursor=${cursor}`);
      expect([query, another, answer.status]).toEqual([query, another, 400]);
    }
  });

  test('a cursor is refused for another site or channel, if it is cut, and together with a page', async () => {
    const cursor = await cursorOf('sort=year');
    const at = (caller: Caller, channel: string, value: string, more = '') =>
      caller.rest('GET', `/channels/${channel}/entries?sort=year&cursor=${value}${more}`);
    expect((await at(site, 'things', cursor)).status).toBe(200);
    for (const answer of [
      await at(other, 'things', cursor),
      await at(site, 'others', cursor),
      await at(site, 'things', cursor, '&page=1'),
      await at(site, 'things', cursor.slice(0, -1)),
      await at(site, 'things', cursor.slice(1)),
      await at(site, 'things', `${cursor}A`),
      await at(site, 'things', `${cursor}%3D`),
      await at(site, 'things', `${cursor}%00`),
      await at(site, 'things', cursor.toLowerCase()),
      await at(site, 'things', `${cursor.slice(0, 20)}${cursor[20] === 'A' ? 'B' : 'A'}${cursor.slice(21)}`),
    ]) {
      expectRestRefused(answer, 400, 'bad_request');
    }
  });
});

describe('harmless', () => {
  test.each([
    ...words(`" "tea "" - --tea OR (((( )) :* tea:* !!tea <-> <1> % _ \\ $1 * \u202eשלום 👨‍👩‍👧‍👦 @ tea@0198 the \u0001\u001b e\u0301
      中文 \ufffd &amp; <script>`),
    ...['- - -', 'or or or', 'tea OR', 'OR tea', 'tea & milk', 'a | b', "'; DROP TABLE entries; --", 'the of and'],
    ...['"tea -milk"', '-"tea 1"', '"'.repeat(999), '-'.repeat(1_000), 'a '.repeat(500), 'x'.repeat(1_000)],
    '😀'.repeat(600),
  ])('a hostile search for %.30j is answered alike by list, count and GraphQL', async (q) => {
    const encoded = encodeURIComponent(q);
    const list = await site.rest<unknown[]>('GET', `${path}?q=${encoded}&per_page=250`);
    expect([list.status, list.status === 200 || list.text]).toEqual([200, true]);
    expect((await site.rest('GET', `${path}/count?q=${encoded}`)).body).toEqual({ count: list.body.length });
    const query = 'query ($search: String) { entries(channel: "things", search: $search) { totalCount } }';
    expect(await site.gql(query, { search: q })).toMatchObject({ data: { entries: { totalCount: list.body.length } } });
  });

  test('a negated filter has all other entries, those without a value included', async () => {
    for (const [query, count] of [
      ['year.gt=1', 2],
      ['where={"not":{"year":{"gt":1}}}', 4],
      ['where={"not":{"not":{"year":{"gt":1}}}}', 2],
      ['year.ne=2', 5],
      ['year.nin=0,2', 4],
      ['year.exists=false', 3],
    ] as const) {
      const { body } = await site.rest('GET', `${path}/count?${encodeURI(query)}`);
      expect([query, body]).toEqual([query, { count }]);
    }
  });
});
