// Two sites that differ only in values that a caller may not read give that caller the same bytes (docs/contract.md §14.6): the same
// random requests are sent to both, through every door and with every parameter that a list has.
import { expect, test } from '@jest/globals';
import type { FieldDefinition } from '../../../src/fields/definition.ts';
import type { TestApp } from '../../support/app.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildSite } from '../../support/build.ts';
import { buildMember, buildRole } from '../../support/members.ts';
import { seeded, type Random } from '../../support/random.ts';
import { suiteApp } from '../../support/scene.ts';

const environment = {
  PUBLIC_URL: 'http://twin.example',
  RATE_LIMIT: 'off',
  ANSWER_LIMIT: '60000',
  FILTER_MAX_COST: '400000',
};
const apps = [await suiteApp(environment), await suiteApp(environment)] as const;

/** Whom the rules of the fields let read them: none of the callers of this test. */
const staff = ['role:staff', 'members:boss'];

const people: Parameters<typeof buildChannel>[2] & { fields: Partial<FieldDefinition>[] } = {
  id: 'people',
  uid: '01900000-0000-7000-8000-0000000000a1',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'city', type: 'string' },
    { name: 'salary', type: 'integer', read: staff, indexed: true },
    { name: 'boss', type: 'reference', channel: 'people', read: staff },
  ],
};

const articles: typeof people = {
  id: 'articles',
  uid: '01900000-0000-7000-8000-0000000000a2',
  createScope: 'public',
  updateScope: 'public',
  deleteScope: 'public',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'year', type: 'integer', indexed: true },
    { name: 'body', type: 'text' },
    { name: 'author', type: 'reference', channel: 'people' },
    { name: 'secret', type: 'string', read: staff },
    { name: 'secrets', type: 'text', read: staff },
    { name: 'amount', type: 'integer', indexed: true, read: [] },
    { name: 'code', type: 'string', unique: true, read: staff },
    { name: 'due', type: 'datetime', indexed: true, read: staff },
    { name: 'notes', type: 'json', read: staff },
    { name: 'source', type: 'references', channel: 'people', read: staff },
    { name: 'wish', type: 'string', read: [], write: ['*'] },
    { name: 'wishes', type: 'references', channel: 'people', read: staff, write: ['*'] },
    { name: 'draft', type: 'json', read: staff, write: ['*', 'owner'] },
    { name: 'stamp', type: 'string', write: staff, default: 'none' },
  ],
};

const idOf = (kind: string, number: number): string =>
  `0190000${kind}-0000-7000-8000-${String(number).padStart(12, '0')}`;
const words = ['red', 'green', 'blue', 'Ünder', 'silver'];
const count = 12;
const at = '/channels/articles/entries';

/** The values of an entry that the callers may not read: those of one site differ from those of the other. */
function hiddenValues(number: number, isOther: boolean): Record<string, unknown> {
  if (!isOther)
    return {
      secret: words[number % 3],
      amount: number,
      code: `c${number}`,
      due: '2026-01-31T09:30:00.000Z',
      wish: 'gold',
    };
  // Absent, longer, of another spelling, and as much as makes an answer too large.
  return {
    ...(number % 3 !== 0 && { secret: `${words[number % 5]} platinum` }),
    ...(number % 2 === 0 && { secrets: 'platinum '.repeat(number === 4 ? 9_000 : 40) }),
    amount: 100 - number,
    code: `d${number % 4 === 0 ? number : `${number}x`}`,
    due: `2026-02-0${(number % 8) + 1}T10:30:00+01:00`,
    notes: { level: number, deep: [words] },
    source: [idOf('1', number % 4)],
    wishes: [idOf('1', (number + 1) % 4)],
    draft: { a: number },
  };
}

interface Twin {
  readonly callers: Readonly<Record<string, Caller>>;
  /** A customer who may read what the others may not. */
  readonly staff: Caller;
}

/** Makes one of the two sites. Ids and times are given, so that only the hidden values differ. */
async function buildTwin(app: TestApp, isOther: boolean): Promise<Twin> {
  const db = app.database.prisma;
  const site = await buildSite(db, { id: 'twin' });
  for (const channel of [articles, people])
    await buildChannel(db, site.id, { ...channel, fields: [...channel.fields] });
  const master = as(app, { token: site.master });
  const place = { db, site };
  const time = '2026-03-01T00:00:00.000Z';
  const entry = (kind: string, number: number, data: object): object => ({
    op: 'create',
    id: idOf(kind, number),
    data: { created_at: time, ...data },
  });
  const all = (length: number): number[] => Array.from({ length }, (_none, number) => number);
  const persons = all(4).map((number) =>
    entry('1', number, {
      title: `Person ${number}`,
      slug: `person-${number}`,
      city: words[number],
      salary: isOther ? 9 - number : number,
      ...(isOther && number > 0 && { boss: idOf('1', 0) }),
    }),
  );
  const made = all(count).map((number) =>
    entry('2', number, {
      title: `Article ${words[number % 5]} ${number}`,
      slug: `article-${number}`,
      year: 1990 + (number % 5),
      body: `${words[(number + 1) % 5]} text`,
      author: idOf('1', number % 4),
      ...(number % 2 === 0 && { _owner: 'ann' }),
      ...hiddenValues(number, isOther),
    }),
  );
  for (const [channel, operations] of [
    ['people', persons],
    ['articles', made],
  ] as const) {
    const { body } = await master.rest<{ results: { status: number }[] }>('POST', `/channels/${channel}/entries/bulk`, {
      body: { operations },
    });
    expect(body.results.filter(({ status }) => status !== 201)).toEqual([]);
  }
  // Short ids are random; what was derived of both sites has one form.
  const rows = await db.entry.findMany({
    where: { siteId: site.id },
    select: { id: true },
    orderBy: { id: 'asc' },
    take: 100,
  });
  for (const [index, { id }] of rows.entries()) {
    await db.entry.update({
      where: { siteId_id: { siteId: site.id, id } },
      data: { shortId: `Short${String(index).padStart(5, '0')}` },
    });
  }
  const { session: ann } = await buildCustomer(db, site.id, { id: 'ann', roles: ['editor'] });
  const { session: staffSession } = await buildCustomer(db, site.id, { id: 'staff', roles: ['staff'] });
  await buildRole(place, 'boss', []);
  const callers: Record<string, Caller> = {
    visitor: as(app, { token: site.public }),
    ann: as(app, { token: site.public, session: ann }),
    member: await buildMember(app, place, []),
    manager: await buildMember(app, place, ['admin']),
    author: await buildMember(app, place, ['author']),
    'user with ann': as(app, {
      token: (await buildMember(app, place, ['owner', 'boss'])).token,
      site: site.id,
      session: ann,
    }),
  };
  return { callers, staff: as(app, { token: site.public, session: staffSession }) };
}

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const namesOf = ({ fields }: typeof people): string[] => fields.map(({ name = '' }) => name);
const fieldNames = [
  ...namesOf(articles),
  'nobody',
  'secre',
  'author.title',
  'author.salary',
  'author.city',
  'author.boss',
  'source.title',
  'slug',
];
const operators = ['', '.ne', '.gt', '.lte', '.in', '.nin', '.exists', '.contains', '.starts_with', '.all', '[gte]'];
const operands = [
  'red',
  'gold',
  'platinum',
  '5',
  '95',
  '1991',
  'true',
  'c3',
  'd4',
  '2026-01-31T09:30:00.000Z',
  idOf('1', 1),
];

/** Makes a query of a list, of the parameters that it can have. */
function randomQuery(random: Random, isList: boolean): string {
  const query: [string, string][] = [];
  const name = (): string => random.pick(fieldNames);
  if (random.chance(0.5)) query.push([`${name()}${random.pick(operators)}`, random.pick(operands)]);
  if (random.chance(0.2))
    query.push([
      'where',
      JSON.stringify({
        or: [{ [name()]: { ne: random.pick(operands) } }, { not: { [name()]: random.pick(operands) } }],
      }),
    ]);
  if (random.chance(0.25)) query.push(['q', random.pick([...words, 'platinum', 'gold', 'text', 'article'])]);
  if (isList) {
    if (random.chance(0.35)) query.push(['sort', `${random.pick(['', '-'])}${name()}`]);
    if (random.chance(0.2)) query.push(['only', `${name()},${name()}`]);
    if (random.chance(0.25))
      query.push(['include', random.pick(['author', 'source', 'author.boss', 'wishes', 'autho'])]);
    if (random.chance(0.5)) query.push(['per_page', String(1 + random.upTo(11))]);
  }
  return query.length === 0 ? '' : `?${new URLSearchParams(query).toString()}`;
}

const fieldsOf = '{ name type read write readable writable default }';

/** Makes a read, at any door. */
function randomRead(random: Random): Asked {
  const entry = `article-${random.upTo(count)}`;
  const name = random.pick(namesOf(articles));
  const gql = (query: string): Asked => ({ method: 'POST', path: '/graphql', body: { query } });
  const typed = (query: string): Asked => ({ method: 'POST', path: '/graphql/site', body: { query } });
  const get = (path: string): Asked => ({ method: 'GET', path });
  const condition = `{ field: "${random.pick(fieldNames)}", op: ${random.pick(['EQ', 'NE', 'GT', 'EXISTS', 'CONTAINS'])}, value: ${random.pick(['"red"', '5', 'true'])} }`;
  switch (random.upTo(13)) {
    case 0:
    case 1:
    case 2:
    case 3:
      return get(`${at}${randomQuery(random, true)}`);
    case 4:
      return get(`${at}/count${randomQuery(random, false)}`);
    case 5:
      return get(
        `${at}/${entry}${random.pick(['', '?include=author', `?only=${name}`, '?include=source', '?only=_version,title'])}`,
      );
    case 6:
      return get(
        random.pick([
          '/channels',
          '/channels/articles',
          '/openapi.json',
          '/channels/people',
          '/graphql/site/schema.graphql',
          '/channels/articles/rights',
        ]),
      );
    case 7:
      return gql(
        `{ channel(id: "articles") { fields ${fieldsOf} } entry(channel: "articles", id: "${entry}") { title: value(name: "${name}") slug channel { fields ${fieldsOf} } } }`,
      );
    case 8:
      return gql(
        `{ entry(channel: "articles", id: "${entry}") { fields some: fields(only: ["title", "${name}"]) reference(field: "${name}") { slug fields } } }`,
      );
    case 9:
      return gql(
        `{ entries(channel: "articles", where: ${condition}, sort: ["${random.pick(fieldNames)}"], first: 5) { totalCount nodes { slug fields } pageInfo { endCursor } } }`,
      );
    case 10:
      return typed(
        `{ articles(where: { ${name}: { ne: 1 } }, first: 3) { totalCount nodes { slug title } } __type(name: "${random.pick(['Articles', 'ArticlesInput', 'ArticlesPatch', 'ArticlesWhere'])}") { name } }`,
      );
    case 11:
      return typed(
        `{ articles(first: 12) { nodes { slug year stamp ${random.chance(0.5) ? name : 'body'} author { slug city } } } }`,
      );
    case 12:
      return get(`${at}/${entry}?as=${random.pick(['public', 'customer:ann', 'user'])}`);
    default:
      return get(`/changes?include=entry&limit=${1 + random.upTo(10)}`);
  }
}

/** Makes a write. Values of the hidden fields are those of one site or of the other, or new. */
function randomWrite(random: Random): Asked {
  const value = (): unknown =>
    random.pick([
      null,
      [],
      'red',
      'gold',
      'none',
      5,
      95,
      'c3',
      'd4',
      { a: 1 },
      [idOf('1', 1)],
      idOf('1', 2),
      '2026-01-31T09:30:00Z',
    ]);
  const names = [...namesOf(articles), 'nobody', 'secre', '_owner'];
  const body = Object.fromEntries(Array.from({ length: 1 + random.upTo(2) }, () => [random.pick(names), value()]));
  const path = `${at}/article-${random.upTo(count)}`;
  const merges = { 'Content-Type': 'application/merge-patch+json' };
  switch (random.upTo(6)) {
    case 0:
      return { method: 'POST', path: at, body: { title: 'New', ...body } };
    case 1:
    case 2:
      return { method: 'PATCH', path, body };
    case 3:
      return { method: 'PATCH', path, body: JSON.stringify(body), headers: merges };
    case 4:
      return {
        method: 'POST',
        path: `${at}/bulk`,
        body: { operations: [{ op: 'update', id: `article-${random.upTo(count)}`, data: body }] },
      };
    case 5:
      return { method: 'POST', path: `${path}/publish`, body: { entry: body } };
    default:
      return {
        method: 'POST',
        path: '/graphql',
        body: {
          query:
            'mutation ($f: JSONObject) { updateEntry(channel: "articles", id: "article-1", input: { fields: $f }) { version fields } }',
          variables: { f: body },
        },
      };
  }
}

/** What a caller gets, without what differs between any two answers: the request's id, the times of writes, random names. */
async function answerTo(caller: Caller, { method, path, body, headers = {} }: Asked): Promise<string> {
  const answer = await caller.rest(method, path, { ...(body !== undefined && { body }), headers });
  const told = [...answer.headers].filter(
    ([name]) => !['date', 'x-request-id', 'connection', 'keep-alive'].includes(name),
  );
  const text = JSON.stringify([answer.status, told, answer.text]);
  const isWrite = method !== 'GET' && !path.startsWith('/graphql/site') && !path.endsWith('/graphql');
  const changes = /mutation|^\/changes/.test(path + JSON.stringify(body ?? ''));
  const masked = text.replace(/\\?"request_?[iI]d\\?":\s*\\?"[^"\\]*\\?"/g, '').replace(/"content-length","\d+"/g, '');
  if (!isWrite && !changes) return masked;
  return masked
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replace(/01[0-9a-f]{6}-[0-9a-f]{4}-7[0-9a-f-]{21}/g, (id) => (id.startsWith('0190000') ? id : 'ID'))
    .replace(/\\"short_id\\":\\"\w{10}\\"/g, 'SHORT')
    .replace(/\\"(cursor|etag)\\":\\"(?:\\\\\\"|[^"])*?\\"/g, 'CURSOR')
    .replace(/\\"(\d+)\.[\w-]+\\"/g, '$1.HASH');
}

/** The first place at which two texts differ. */
function differenceOf(one: string, other: string): { one: string; other: string } {
  let from = 0;
  while (one[from] === other[from]) from += 1;
  const near = (text: string): string => text.slice(Math.max(from - 200, 0), from + 200);
  return { one: near(one), other: near(other) };
}

const seed = 20261127;

test('two sites that differ in values that the callers may not read answer the same bytes', async () => {
  const [one, other] = await Promise.all([buildTwin(apps[0], false), buildTwin(apps[1], true)]);
  const names = Object.keys(one.callers);
  const nobody = as(apps[0]);
  const random = seeded(seed);
  const differences: object[] = [];
  const told = { same: 0, refused: 0, seenByStaff: 0 };
  const compare = async (name: string, asked: Asked): Promise<string> => {
    const answers = [one, other].map(({ callers: { [name]: caller = nobody } }) => answerTo(caller, asked));
    const [first = '', second = ''] = await Promise.all(answers);
    if (second !== first) differences.push({ name, asked, ...differenceOf(first, second) });
    told[first.startsWith('[2') ? 'same' : 'refused'] += 1;
    return first;
  };
  for (let round = 0; round < 120; round += 1) {
    const asked = randomRead(random);
    const first = await compare(random.pick(names), asked);
    const next = /"x-next-cursor","([^"]+)"/.exec(first)?.[1];
    if (next !== undefined && asked.method === 'GET') {
      await compare(random.pick(names), { ...asked, path: `${asked.path}&cursor=${encodeURIComponent(next)}` });
    }
    if (asked.method === 'GET' && asked.path.startsWith(at)) {
      const [seen, seenInOther] = await Promise.all([answerTo(one.staff, asked), answerTo(other.staff, asked)]);
      if (seen !== seenInOther) told.seenByStaff += 1;
    }
  }
  for (let round = 0; round < 80; round += 1) {
    await compare(random.pick(names), randomWrite(random));
    if (round % 4 === 0)
      await compare(random.pick(names), {
        method: 'GET',
        path: `${at}/article-${random.upTo(count)}?only=_version,title,year`,
      });
  }
  expect({ seed, differences: differences.slice(0, 8) }).toEqual({ seed, differences: [] });
  expect({ same: told.same > 60, refused: told.refused > 40, seen: told.seenByStaff > 10 }).toEqual({
    same: true,
    refused: true,
    seen: true,
  });
});
