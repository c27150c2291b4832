// Hostile filters, by both doors: what can't be understood is 400, what is merely odd is taken literally (docs/contract.md §5).
import { describe, expect, test } from '@jest/globals';
import { suiteApp } from '../../support/scene.ts';
import { words } from '../../support/words.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';

const path = '/channels/things/entries';

/** Titles that mean something to somebody, though not here. */
const titles = [
  ...['100%', 'a_b', 'back\\slash', "'; DROP TABLE entries; --", '$1 ? :id %s', 'say "a, b"', 'a,b', '(a+)+$', '.*'],
  ...['👨‍👩‍👧‍👦', '\u202eשלום\u202c', 'e\u0301', '\u0001\u001b[31m', '\\u0000', '{"or":[]}', 'true', 'null', '1e3', ' x '],
];

const app = await suiteApp({ RATE_LIMIT: 'off' });
const db = app.database.prisma;
const site = await buildSite(db);
const callers = { public: as(app, { token: site.public }), master: as(app, { token: site.master }) };
const channel = await buildChannel(db, site.id, {
  id: 'things',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'year', type: 'integer', indexed: true },
    { name: 'seen', type: 'boolean' },
    { name: 'day', type: 'date' },
    { name: 'at', type: 'datetime' },
    { name: 'tags', type: 'strings' },
    { name: 'extra', type: 'json' },
    { name: 'place', type: 'geo' },
    { name: 'author', type: 'reference', channel: 'things' },
  ],
});
// `gone` was declared once.
for (const [index, title] of titles.entries()) {
  await buildEntry(db, channel, { slug: `t-${index}`, data: { title, year: index, tags: [title], gone: 'x' } });
}
await buildEntry(db, await buildChannel(db, site.id, { id: 'free' }), { slug: 'free', data: { title: 'Free' } });

const parameters: readonly string[] = [
  // Names: of no field, of no operator, of another form.
  ...words(`nowhere=1 gone=x gone.exists=true nowhere.ne=1 year.near=1 year.GT=1 year.gt.lt=1 year.=1 .year=1 ..=1 .gt=1
    gt=1 =1 e.year=1 t1.year=1 entries.year=1 data.year=1 YEAR=1 data->>'year'=1 year[gt]=1 year[]=1 year[0]=1 *=1 fields=*
    title.length=1 %20year=1 year::text=1 year;=1 (select%201)=1 site_id=x channel_uid=x read_grant=x title_key=x
    _acl.ada=1 _acl.ada.read=true _owner.x=1 __proto__=1 __proto__.x=1 __proto__[x]=1 constructor=1
    constructor.prototype=1 toString=1 hasOwnProperty.eq=1 year%00=1 or=1 and=1`),
  // Values: of another type, of none, not well encoded.
  ...words(`year= year=abc year=1e999 year=0x10 year=NaN year=Infinity year=1%3BDROP year=%D9%A3 year.gt= year.in=1,x year.in=
    year.in=1,,2 year.contains=1 year.exists=1 year.exists= seen=yes seen=TRUE seen=1 seen= seen.gt=true seen.exists=maybe
    day=2026-02-30 day=today day=2026-01-01T00:00:00Z day.gte= at=yesterday at=2026-13-01T00:00:00Z at=2026-02-30T00:00:00Z
    created_at=x created_at.gt=2026 _publish_at= tags.gt=x tags.contains=x title.all=x place=1 place.exists= title.in="open
    title.in="a"b title.in=" title=%00 title.contains=a%00b tags=%00 extra=%00 slug=%00 id=%00 url.starts_with=%00
    title.in=a,%00 tags.all=%00 year=%00 title=%ED%A0%80 title=%C0%80 title=%FF title=% title=%zz year=1&year=2
    year.gt=1&year.gt=1`),
];

describe('malformed parameters are 400 for lists and counts', () => {
  test.each(parameters)('a malformed parameter is 400 for lists and counts: ?%s', async (query) => {
    for (const caller of Object.values(callers)) {
      for (const target of [path, `${path}/count`]) {
        expectRestRefused(await caller.rest('GET', `${target}?${query}`), 400, 'bad_request');
      }
    }
  });
});

const deep = (levels: number): string => `${'{"not":'.repeat(levels)}{"year":1}${'}'.repeat(levels)}`;
const wide = (count: number): string => JSON.stringify({ or: Array.from({ length: count }, () => ({ year: 3 })) });

const wheres: readonly string[] = [
  ...['', ' ', '\ufeff{}', ...words(`{ {}x [] null 1 "x" true {'year':1} {year:1} {"year":1,} //`)],
  ...words(`{"nowhere":1} {"gone":"x"} {"":1} {"*":1} {"e.year":1} {"data":{"year":1}} {"_acl":{"ada":1}} {"$or":[]}
    {"$where":"1"} {"OR":[]} {"year":{"near":1}} {"year":{"$gt":1}} {"year":{"GT":1}} {"__proto__":1} {"__proto__":{"lt":1}}
    {"constructor":1} {"year":{"__proto__":1}} {"toString":"x"} {"year":{"constructor":1}} {"year":null} {"year":{"lt":null}}
    {"year":{"in":[null]}} {"not":null}`),
  // Kinds that pass for others (V6).
  ...words(`{"or":{}} {"or":{"length":1,"0":{"year":1}}} {"and":1} {"or":[1]} {"or":[null]} {"not":[]} {"not":1} {"not":"year"}
    {"or":[[]]} {"year":"3"} {"year":[3]} {"year":true} {"title":3} {"year":{"in":3}} {"year":{"in":{"length":1,"0":3}}}
    {"year":{"in":["3"]}} {"title":{"contains":5}} {"title":{"contains":{"length":1}}} {"title":{"in":[{"x":1}]}}
    {"seen":"true"} {"seen":1} {"day":1} {"day":"2026-02-30"} {"at":"2026"} {"tags":["x"]} {"tags":{"all":"x"}}
    {"tags":{"gt":"x"}} {"year":{"exists":1}} {"year":{"exists":"true"}} {"place":{"gt":1}} {"year":1e400} {"extra":[1e400]}`),
  // Text that is none.
  ...words(`{"title":"\\u0000"} {"title":{"contains":"a\\u0000"}} {"title":"\\ud800"} {"tags":{"in":["\\u0000"]}}
    {"extra":"\\u0000"} {"extra":{"in":[["\\udfff"]]}} {"extra":{"in":[{"\\u0000":1}]}} {"a\\u0000":1} {"slug":"\\u0000"}
    {"id":"\\u0000"} {"title":{"\\u0000":1}} {"place":{"in":[{"a":"\\ud800"}]}}`),
  // Too much.
  ...[deep(21), deep(100), wide(201), wide(300), JSON.stringify({ year: { in: Array(1_001).fill(1) } })],
];

describe('a malformed `where` is 400', () => {
  test.each(wheres)('a malformed `where` is 400: %.80s', async (where) => {
    for (const target of [path, `${path}/count`]) {
      const answer = await callers.public.rest('GET', `${target}?where=${encodeURIComponent(where)}`);
      expectRestRefused(answer, 400, 'bad_request');
    }
    expect(({} as Record<string, unknown>)['lt']).toBeUndefined();
  });

  test('private members anywhere in a filter are refused to public tokens alone', async () => {
    for (const field of ['_owner', '_acl']) {
      for (const where of [{ [field]: { exists: true } }, { or: [{ year: 1 }, { not: { [field]: { ne: 'x' } } }] }]) {
        const target = `${path}?where=${encodeURIComponent(JSON.stringify(where))}`;
        expectRestRefused(await callers.public.rest('GET', target), 400, 'bad_request');
        expect((await callers.master.rest('GET', target)).status).toBe(200);
      }
    }
  });
});

const list = 'query ($where: EntryFilter) { entries(channel: "things", where: $where) { totalCount nodes { slug } } }';

describe('GraphQL filters', () => {
  const field = (name: string, value: unknown, op = 'EQ') => ({ field: name, op, value });
  test.each<[number, unknown]>([
    ...['nowhere', 'gone', '', '*', '__proto__', 'constructor', 'title.x', 'e.title', '_owner', '_acl', 'site_id'].map(
      (name): [number, unknown] => [200, field(name, 'x')],
    ),
    ...[null, '3', [3], { length: 1 }, true, Infinity].map((value): [number, unknown] => [200, field('year', value)]),
    [200, { value: 3 }],
    [200, field('year', 3, 'IN')],
    [200, field('year', { length: 1, 0: 3 }, 'IN')],
    [200, field('year', 1, 'EXISTS')],
    [200, field('title', 5, 'CONTAINS')],
    [200, field('tags', 'x', 'ALL')],
    [200, field('place', 1, 'GT')],
    [200, { or: Array(201).fill(field('year', 1)) }],
    [200, JSON.parse(`${'{"not":'.repeat(21)}{}${'}'.repeat(21)}`)],
    [400, 'x'],
    [400, { or: 1 }],
    [400, { $or: [] }],
    [400, field('year', 1, 'NEAR')],
    [400, { field: 5 }],
  ])('an invalid GraphQL filter is answered with status %i: %j', async (status, where) => {
    const answer = await callers.public.rest('POST', '/graphql', { body: { query: list, variables: { where } } });
    expectGraphqlRefused(answer, status, 'BAD_USER_INPUT');
  });

  test.each(['a\0b', '\ud800'])('the text %j is refused anywhere in a filter', async (value) => {
    for (const where of [field('title', value), field('extra', [value]), field('extra', [{ [value]: 1 }], 'IN')]) {
      const answer = await callers.public.rest('POST', '/graphql', { body: { query: list, variables: { where } } });
      expectGraphqlRefused(answer, 400, 'BAD_USER_INPUT');
    }
  });
});

describe('1,000 values', () => {
  test.each<[string, string, number]>([
    ['year', 'IN', titles.length],
    ['year', 'NIN', 0],
    ['title', 'IN', 0],
    ['tags', 'IN', 0],
    ['tags', 'ALL', 0],
    ['extra', 'IN', 0],
    ['author', 'IN', 0],
    ['author', 'NIN', titles.length],
    ['author.title', 'IN', 0],
    ['id', 'IN', 0],
  ])('a filter accepts 1,000 values, and no more: %s %s', async (field, op, totalCount) => {
    const ask = (count: number) => {
      const value = Array.from({ length: count }, (_, index) => (field === 'year' ? index : String(index)));
      const query = 'query ($where: EntryFilter) { entries(channel: "things", where: $where) { totalCount } }';
      const body = { query, variables: { where: { field, op, value } } };
      return callers.public.rest('POST', '/graphql', { body });
    };
    const answer = await ask(1_000);
    expect([answer.status, answer.body]).toEqual([200, { data: { entries: { totalCount } } }]);
    expectGraphqlRefused(await ask(1_001), 200, 'BAD_USER_INPUT');
  });
});

describe('hostile texts as values', () => {
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;
  test.each(titles.map((title, index) => [title, `t-${index}`] as const))(
    'a filter by the title %j finds its entry alone',
    async (title, slug) => {
      const encoded = encodeURIComponent(title);
      for (const query of [
        ...[`title=${encoded}`, `title.in=${encodeURIComponent(`${quoted(title)},"none"`)}`, `tags=${encoded}`],
        ...[`title.starts_with=${encoded}&title.ends_with=${encoded}`, `tags.all=${encodeURIComponent(quoted(title))}`],
        ...[
          { title },
          { title: { starts_with: title } },
          { not: { title: { ne: title } } },
          { tags: { in: [title] } },
        ].map((where) => `where=${encodeURIComponent(JSON.stringify(where))}`),
      ]) {
        const { status, body } = await callers.public.rest<{ slug: string }[]>('GET', `${path}?${query}`);
        expect([query, status, status === 200 && body.map((entry) => entry.slug)]).toEqual([query, 200, [slug]]);
      }
      const where = { field: 'title', op: 'STARTS_WITH', value: title };
      expect((await callers.public.gql(list, { where })).data).toEqual({
        entries: { totalCount: 1, nodes: [{ slug }] },
      });
    },
  );

  test.each([
    ['%', ['t-0', 't-4']],
    ['_', ['t-1']],
    ['\\', ['t-2', 't-13']],
    ['.', ['t-8']],
    ['a+', ['t-7']],
    ['x'.repeat(6_000), []],
    [`${'a'.repeat(500)}!`, []],
  ])('a filter by `contains` takes %.20j literally', async (part, slugs) => {
    const target = `${path}?sort=created_at&title.contains=${encodeURIComponent(part)}`;
    const { status, body } = await callers.public.rest<{ slug: string }[]>('GET', target);
    expect([status, body.map(({ slug }) => slug)]).toEqual([200, slugs]);
  });

  test('a filter of the allowed depth and width is answered', async () => {
    for (const [where, count] of [
      [deep(19), titles.length - 1],
      [wide(200), 1],
      [JSON.stringify({ year: { in: Array(1_000).fill(1) } }), 1],
      ['{}', titles.length],
      ['{"or":[]}', 0],
      ['{"and":[],"year":{}}', titles.length],
      ['{"year":1,"year":2}', 1],
    ] as const) {
      const answer = await callers.public.rest('GET', `${path}/count?where=${encodeURIComponent(where)}`);
      expect([where.slice(0, 40), answer.status, answer.body]).toEqual([where.slice(0, 40), 200, { count }]);
    }
  });

  test('without declared fields, a filter may name members like JavaScript’s own', async () => {
    for (const name of ['constructor', 'toString', 'hasOwnProperty', 'length', 'a.b', "data->>'x'"]) {
      const answer = await callers.public.rest('GET', `/channels/free/entries/count?${encodeURIComponent(name)}.ne=x`);
      expect([name, answer.status, answer.body]).toEqual([name, 200, { count: 1 }]);
    }
  });
});
