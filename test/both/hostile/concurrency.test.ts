// Writes at the same time: each is done once or refused, none is lost, and nobody is told of a fault (docs/contract.md §3, §5).
import { describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { as, type Caller, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectData, expectEntry, expectProblem } from '../../support/expect.ts';
import { expectRestRefused } from '../../support/refused.ts';
import { suiteApp } from '../../support/scene.ts';

const list = '/channels/articles/entries';
const one = `${list}/one`;

const app = await suiteApp();

/** A site with entries of these slugs, and its master token's caller. */
async function buildArticles({
  slugs = ['one'],
  createScope = 'none',
}: { slugs?: string[]; createScope?: Channel['createScope'] } = {}): Promise<{
  site: TestSite;
  channel: Channel;
  master: Caller;
}> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'articles', createScope });
  for (const slug of slugs) await buildEntry(db, channel, { slug, data: { title: 'One', n: 0 } });
  return { site, channel, master: as(app, { token: site.master }) };
}

/** So many at once; `start` gets their numbers, from 1. */
function atOnce<Value>(count: number, start: (n: number) => Promise<Value>): Promise<Value[]> {
  return Promise.all(Array.from({ length: count }, (_, index) => start(index + 1)));
}

function sorted(answers: readonly RestAnswer<unknown>[]): number[] {
  return answers.map(({ status }) => status).sort();
}

/** The codes of GraphQL answers; `done` for one without errors. */
async function codesOf(answers: Promise<{ errors: { extensions: { code: string } }[] | undefined }[]>) {
  return (await answers).map(({ errors }) => errors?.[0]?.extensions.code ?? 'done').sort();
}

describe('one entry', () => {
  test.each(['PUT', 'PATCH'])(
    '50 × %s of one entry with one tag: exactly one is done, the others are 412',
    async (method) => {
      const { master } = await buildArticles();
      const headers = { 'If-Match': (await master.rest('GET', one)).headers.get('etag') ?? '' };
      const answers = await atOnce(50, (n) => master.rest(method, one, { headers, body: { n } }));
      const won = answers.filter(({ status }) => status === 200);
      expect(won.length).toBe(1);
      for (const answer of answers.filter(({ status }) => status !== 200)) {
        expectRestRefused(answer, 412, 'precondition_failed');
      }
      expect((await master.rest('GET', one)).body).toEqual(won[0]?.body);
    },
  );

  test('25 updates of one entry by each door with one version: exactly one is done', async () => {
    const { master } = await buildArticles();
    const headers = { 'If-Match': (await master.rest('GET', one)).headers.get('etag') ?? '' };
    const update = (n: number): string =>
      `mutation { updateEntry(channel: "articles", id: "one", ifVersion: 1, input: { fields: { n: ${n} } }) { version } }`;
    const told = await atOnce(50, async (n) => {
      if (n % 2 === 0) return (await master.rest('PUT', one, { headers, body: { n } })).status === 200;
      const { errors } = await master.gql(update(n));
      expect(errors?.map(({ extensions }) => extensions.code) ?? ['PRECONDITION_FAILED']).toEqual([
        'PRECONDITION_FAILED',
      ]);
      return errors === undefined;
    });
    expect(told.filter((isDone) => isDone).length).toBe(1);
    expect((await master.rest('GET', one)).headers.get('etag')).toMatch(/^"2\./);
  });

  test('20 updates of one entry, each of a field of its own, without a tag: all are done, and no field is lost', async () => {
    const { master } = await buildArticles();
    const answers = await atOnce(20, (n) => master.rest('PUT', one, { body: { [`f${n}`]: n } }));
    expect(sorted(answers)).toEqual(Array(20).fill(200));
    const fields = Object.fromEntries(answers.map((_, index) => [`f${index + 1}`, index + 1]));
    expect(expectEntry(await master.rest('GET', one))).toMatchObject(fields);
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(20);
  });

  test('concurrent updates and a delete of one entry: each is done or finds nothing', async () => {
    const { master } = await buildArticles();
    const answers = await Promise.all([
      atOnce(10, (n) => master.rest('PUT', one, { body: { n } })),
      atOnce(1, () => master.rest('DELETE', one)),
      atOnce(10, (n) => master.rest('PATCH', one, { body: { m: n } })),
    ]);
    expect(answers[1][0]?.status).toBe(204);
    expect(answers.flat().filter(({ status }) => ![200, 204, 404].includes(status))).toEqual([]);
    expectProblem(await master.rest('GET', one), 'not_found');
  });

  test('ten deletes of one entry: exactly one deletes, and one more finds nothing', async () => {
    const { master } = await buildArticles();
    expect(sorted(await atOnce(10, () => master.rest('DELETE', one)))).toEqual([204, ...Array<number>(9).fill(404)]);
    expectRestRefused(await master.rest('DELETE', one), 404, 'not_found');
    const { master: other } = await buildArticles();
    const remove = 'mutation { deleteEntry(channel: "articles", id: "one") }';
    const codes = await codesOf(atOnce(10, () => other.gql(remove)));
    expect(codes).toEqual([...Array<string>(9).fill('NOT_FOUND'), 'done']);
  });

  test('deletes and updates of one entry with one tag: exactly one is done', async () => {
    const { master } = await buildArticles();
    const headers = { 'If-Match': (await master.rest('GET', one)).headers.get('etag') ?? '' };
    const answers = await atOnce(20, (n) =>
      n % 2 === 0 ? master.rest('DELETE', one, { headers }) : master.rest('PUT', one, { headers, body: { n } }),
    );
    expect(answers.filter(({ status }) => status < 300).length).toBe(1);
    expect(answers.filter(({ status }) => ![200, 204, 404, 412].includes(status))).toEqual([]);
  });
});

describe('one slug', () => {
  test('ten creates with one slug: exactly one succeeds, the others are 409', async () => {
    const { master } = await buildArticles();
    const answers = await atOnce(10, (n) => master.rest('POST', list, { body: { slug: 'mine', n } }));
    expect(sorted(answers)).toEqual([201, ...Array<number>(9).fill(409)]);
    for (const answer of answers.filter(({ status }) => status === 409)) expectProblem(answer, 'conflict', ['slug']);
    expect((await master.rest('GET', `${list}/count`)).body).toEqual({ count: 2 });
  });

  test('ten creates with one slug by GraphQL: exactly one succeeds', async () => {
    const { master } = await buildArticles();
    const create = 'mutation { createEntry(channel: "articles", input: { slug: "mine" }) { id } }';
    expect(await codesOf(atOnce(10, () => master.gql(create)))).toEqual([...Array<string>(9).fill('CONFLICT'), 'done']);
  });

  test('ten updates to one slug: exactly one succeeds', async () => {
    const slugs = Array.from({ length: 10 }, (_, index) => `e${index + 1}`);
    const { master } = await buildArticles({ slugs });
    const answers = await atOnce(10, (n) => master.rest('PUT', `${list}/e${n}`, { body: { slug: 'mine' } }));
    expect(sorted(answers)).toEqual([200, ...Array<number>(9).fill(409)]);
  });

  test('20 creates with one title all succeed, with slugs of their own', async () => {
    const { master } = await buildArticles({ slugs: [] });
    const answers = await atOnce(20, () => master.rest('POST', list, { body: { title: 'Same' } }));
    const slugs = answers.map((answer) => expectEntry(answer, 201).slug);
    expect(new Set(slugs).size).toBe(20);
    expect(slugs.filter((slug) => /^same(-[2-9])?$/.test(slug)).sort()).toEqual(
      ['same', ...[2, 3, 4, 5, 6, 7, 8, 9].map((n) => `same-${n}`)].sort(),
    );
    for (const slug of slugs) expect(slug).toMatch(/^same(-[a-z0-9]+)?$/);
  });

  test('an entry that gives up a slug, and others that take it: never two have it', async () => {
    const { master } = await buildArticles({ slugs: ['mine'] });
    const [given, ...wanted] = await Promise.all([
      master.rest('PUT', `${list}/mine`, { body: { slug: 'yours' } }),
      ...Array.from({ length: 10 }, () => master.rest('POST', list, { body: { slug: 'mine' } })),
    ]);
    expect(given.status).toBe(200);
    const won = wanted.filter(({ status }) => status === 201).length;
    expect([0, 1]).toContain(won);
    expect(sorted(wanted)).toEqual([...Array<number>(won).fill(201), ...Array<number>(10 - won).fill(409)]);
  });
});

describe('one channel', () => {
  test('a channel deleted while its entries are written: each write is done or finds nothing, and no entry is left', async () => {
    const slugs = Array.from({ length: 10 }, (_, index) => `e${index + 1}`);
    const { site, channel, master } = await buildArticles({ slugs });
    const remove = 'mutation { deleteChannel(id: "articles", confirm: "articles") }';
    const [early, removed, late] = await Promise.all([
      atOnce(10, (n) => master.rest('POST', list, { body: { n } })),
      master.gql(remove),
      atOnce(30, (n) => {
        const path = `${list}/e${Math.ceil(n / 3)}`;
        if (n % 3 === 0) return master.rest('POST', list, { body: { n } });
        return n % 3 === 1 ? master.rest('PUT', path, { body: { n } }) : master.rest('DELETE', path);
      }),
    ]);
    expect(expectData(removed)).toEqual({ deleteChannel: 'articles' });
    expect([...early, ...late].filter(({ status }) => ![200, 201, 204, 404].includes(status))).toEqual([]);
    expectRestRefused(await master.rest('POST', list, { body: {} }), 404, 'not_found');
    const where = { siteId: site.id };
    expect(await app.database.prisma.entry.count({ where: { ...where, channelUid: channel.uid } })).toBe(0);
    expectData(await master.gql('mutation { createChannel(input: { id: "articles" }) { id } }'));
    expect((await master.rest('GET', list)).body).toEqual([]);
    expect(await app.database.prisma.entry.count({ where })).toBe(0);
  });

  test('a channel closed while visitors create: no more succeed than are stored, and none after the answer', async () => {
    const { site, master } = await buildArticles({ slugs: [], createScope: 'public' });
    const visitor = as(app, { token: site.public });
    const create = (n: number) => visitor.rest('POST', list, { body: { n } });
    const close = 'mutation { updateChannel(id: "articles", input: { acl: { create: NONE } }) { id } }';
    const [early, closed, late] = await Promise.all([atOnce(10, create), master.gql(close), atOnce(20, create)]);
    expectData(closed);
    const answers = [...early, ...late];
    expect(answers.filter(({ status }) => ![201, 403].includes(status))).toEqual([]);
    for (const answer of await atOnce(5, create)) expectRestRefused(answer, 403, 'forbidden');
    const count = answers.filter(({ status }) => status === 201).length;
    expect((await master.rest('GET', `${list}/count`)).body).toEqual({ count });
  });

  test.each([
    ['channels', 'createChannel(input: { id: "new" }) { id }'],
    ['customers', 'createCustomer(input: { id: "ada" }) { id }'],
  ])('ten %s with one id: exactly one is created, the others are CONFLICT', async (_what, field) => {
    const { master } = await buildArticles();
    const codes = await codesOf(atOnce(10, () => master.gql(`mutation { ${field} }`)));
    expect(codes).toEqual([...Array<string>(9).fill('CONFLICT'), 'done']);
  });
});
