// Hostile pages, cursors, orders, members, searches and includes: refused as what can't be understood (docs/contract.md §5).
// Filters are tried in filters.test.ts, cursors of other lists and what searches may say in lists.cursors.test.ts.
import { describe, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { words } from '../../support/words.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';
import { buildListed } from './listed.ts';

const path = '/channels/things/entries';
const { site } = await buildListed();

describe('of a list, 400', () => {
  const cases: Record<string, readonly string[]> = {
    sort: [
      ...words(`nowhere gone -gone - --year +year , year, ,year year,,title year,-year year; YEAR title.x e.year
        data->>'year' 1 * tags place link author links author.title _owner -_acl __proto__ constructor
        slug,id,title,year,url,channel,short_id,created_at,updated_at year%00 \u202eyear site_id search`),
      ...['', 'year desc', ' year', 'year ', '(select 1)'],
    ],
    only: ['', ...words('nowhere gone , title, title.x * __proto__ constructor site_id data TITLE')],
    include: [
      ...words('nowhere gone title , author, .author author. author..author author.nowhere author.author.author'),
      ...words('links.links.links.links * author.* _owner _acl id __proto__ constructor author.constructor Author'),
      ...['', ' author', 'author.gone', Array(21).fill('author').join()],
    ],
    q: ['', 'x'.repeat(1_001), '\0', 'a\0b'],
    page: ['', ' 1', ...words('0 -1 1.5 1e9 NaN 9223372036854775808 0x1 1,2 +1 3335 ١')],
    per_page: ['', ...words('0 -1 1.5 1e9 NaN 251 9223372036854775808 Infinity null')],
    cursor: ['', '\0', 'A'.repeat(5_000), ...words('x = ! bnVsbA e30 W10 % null __proto__')],
  };
  test.each(Object.entries(cases).flatMap(([name, values]) => values.map((value) => [name, value] as const)))(
    'an invalid list parameter is 400: %s=%.60j',
    async (name, value) => {
      const answer = await site.rest('GET', `${path}?${name}=${encodeURIComponent(value)}`);
      expectRestRefused(answer, 400, 'bad_request');
    },
  );

  test.each([
    ...words('sort only include q page per_page cursor where').flatMap((name) =>
      words(`${name}=1&${name}=1 ${name}[]=1 ${name}[0]=1 ${name}.x=1 ${name.toUpperCase()}=1`),
    ),
    ...words('search=x offset=1 limit=1 first=1 after=x order=year fields=title expand=author'),
    ...words('q=%ED%A0%80 q=%FF sort=%C0%80 only=% include=%zz'),
  ])('a repeated, bracketed or unknown list parameter is 400: ?%s', async (query) => {
    expectRestRefused(await site.rest('GET', `${path}?${query}`), 400, 'bad_request');
  });

  test('list parameters are refused by other routes', async () => {
    for (const name of ['page=1', 'per_page=1', 'sort=id', 'cursor=x', 'only=id', 'include=author']) {
      expectRestRefused(await site.rest('GET', `${path}/count?${name}`), 400, 'bad_request');
    }
    for (const name of ['page=1', 'sort=id', 'cursor=x', 'q=x', 'where={}', 'title=x', 'title.exists=true']) {
      expectRestRefused(await site.rest('GET', `${path}/t-1?${name}`), 400, 'bad_request');
    }
    for (const name of ['q=x', 'where={}', 'title=x', 'only=id', 'include=author']) {
      const post = await site.rest('POST', `${path}?${name}`, { body: {} });
      expectRestRefused(post, 400, 'bad_request');
      expectRestRefused(await site.rest('PATCH', `${path}/t-1?${name}`, { body: {} }), 400, 'bad_request');
      const bulk = await site.rest('POST', `${path}/bulk?${name}`, {
        body: { operations: [{ op: 'delete', id: 'x' }] },
      });
      expectRestRefused(bulk, 400, 'bad_request');
    }
  });
});

describe('GraphQL', () => {
  const ask = (args: string, variables = {}): Promise<Awaited<ReturnType<Caller['rest']>>> => {
    const head = 'text' in variables ? 'query ($text: String)' : 'query';
    const query = `${head} { entries(channel: "things", ${args}) { totalCount nodes { id } } }`;
    return site.rest('POST', '/graphql', { body: { query, variables } });
  };
  const sorts = ['"nowhere"', '"gone"', '""', '"year", "-year"', '"tags"', '"_acl"', '"year,title"', '"author.title"'];
  test.each([
    ...sorts.map((keys) => `sort: [${keys}]`),
    ...['search: ""', 'first: 0', 'first: -1', 'first: 251', 'page: 0', 'page: -1', 'page: 2147483647'],
    ...['after: ""', 'after: "x"', 'page: 1, after: "x"'],
  ])('the list argument %s is BAD_USER_INPUT', async (args) => {
    expectGraphqlRefused(await ask(args), 200, 'BAD_USER_INPUT');
  });

  test.each(['x'.repeat(1_001), '😀'.repeat(1_001)])('a search that is too long is BAD_USER_INPUT', async (text) => {
    expectGraphqlRefused(await ask('search: $text', { text }), 200, 'BAD_USER_INPUT');
  });
});
