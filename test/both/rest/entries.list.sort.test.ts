// GET /channels/{channel_id}/entries?sort=…: every fixed field in both directions (docs/contract.md §5). What comes back is
// compared with an order worked out here, from the entries themselves.
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { expectProblem, type RestEntry } from '../../support/expect.ts';

let app: TestApp;
let site: TestSite;
beforeAll(async () => {
  app = await startApp();
  site = await buildMixedEntries();
});
afterAll(() => app.close());

/** Entries that differ, and agree, in every fixed field. Titles: case, marks, absent ones, and beyond 16 bits. */
async function buildMixedEntries(): Promise<TestSite> {
  const db = app.database.prisma;
  const mixed = await buildSite(db);
  const channel = await buildChannel(db, mixed.id, {
    id: 'mixed',
    publishable: true,
    fields: [{ name: 'title', type: 'json' }],
  });
  const titles = [
    'b',
    'B',
    'a',
    'A',
    'É',
    'é',
    'e',
    'Zoo',
    '10',
    '9',
    'a b',
    'aB',
    '',
    '｡',
    '😀',
    'a',
    undefined,
    null,
  ];
  for (const [index, title] of titles.entries()) {
    const time = new Date(1_700_000_000_000 + (index % 4) * 1000);
    const { id: entryId } = await buildEntry(db, channel, {
      slug: `s${(index * 7) % 19}-x${index % 3}`,
      createdAt: time,
      status: (['draft', 'scheduled', 'published'] as const)[index % 3] ?? 'draft',
      publishAt: index % 3 === 1 || index % 5 === 0 ? new Date(1_800_000_000_000 - (index % 2) * 1000) : null,
      owner: ['ada', 'Ada', 'bob', null, null][index % 5] ?? null,
      acl: index % 2 === 0 ? {} : { ada: { read: true } },
      data: title === undefined ? { other: 1 } : title === null ? {} : { title },
    });
    const where = { siteId_id: { siteId: mixed.id, id: entryId } };
    await db.entry.update({ where, data: { updatedAt: new Date(1_750_000_000_000 - (index % 5) * 1000) } });
  }
  return mixed;
}

function list(query: string, token = site.master): Promise<RestAnswer<RestEntry[]>> {
  return as(app, { token }).rest<RestEntry[]>('GET', `/channels/mixed/entries?per_page=250${query}`);
}

/** Text without regard to case, then by code point. */
function compareText(a: string, b: string): number {
  return byCodePoint(a.toLowerCase(), b.toLowerCase()) || byCodePoint(a, b);
}

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Absent values last in both directions; ties by id in the last key's direction. */
function sorted(entries: readonly RestEntry[], sort: string): string[] {
  const keys = sort.split(',').map((key) => ({ field: key.replace(/^-/, ''), sign: key.startsWith('-') ? -1 : 1 }));
  const compare = (a: RestEntry, b: RestEntry): number => {
    for (const { field, sign } of keys) {
      const [left, right] = [a[field] ?? null, b[field] ?? null] as (string | null)[];
      if (left !== right && (left === null || right === null)) return left === null ? 1 : -1;
      const difference = compareText(left ?? '', right ?? '');
      if (difference !== 0) return difference * sign;
    }
    return byCodePoint(a.id, b.id) * (keys.at(-1)?.sign ?? 1);
  };
  return entries.toSorted(compare).map(({ id }) => id);
}

describe('allowed', () => {
  const fields = [
    'id',
    'url',
    'short_id',
    'slug',
    'channel',
    'created_at',
    'updated_at',
    'title_field_value',
    '_status',
    '_publish_at',
    '_owner',
  ];
  const sorts = [
    ...fields.flatMap((field) => [field, `-${field}`]),
    '_status,-created_at',
    '-_status,title_field_value',
    '-title_field_value,created_at',
    '_publish_at,-_owner',
    '_owner,_publish_at,-title_field_value',
    'channel,-slug',
  ];
  test.each(sorts)('sort=%s', async (sort) => {
    const answer = await list(`&sort=${sort}`);
    expect(answer.status).toBe(200);
    expect(answer.body.length).toBe(18);
    expect(answer.body.map(({ id }) => id)).toEqual(sorted(answer.body, sort));
  });

  test('without a sort: newest first, ties by id descending', async () => {
    const answer = await list('');
    expect(answer.body.map(({ id }) => id)).toEqual(sorted(answer.body, '-created_at'));
  });

  test.each(['_acl', '-_acl'])('sort=%s has the same order each time, and no other entries', async (sort) => {
    const [once, again, plain] = [await list(`&sort=${sort}`), await list(`&sort=${sort}`), await list('')];
    expect(once.body.map(({ id }) => id)).toEqual(again.body.map(({ id }) => id));
    expect(once.body.map(({ id }) => id).sort()).toEqual(plain.body.map(({ id }) => id).sort());
    const empty = once.body.map(({ _acl }) => Object.keys(_acl ?? {}).length === 0);
    expect(empty.indexOf(false) === 9 || empty.indexOf(true) === 9).toBe(true);
  });

  test('pages of a sort with many ties neither repeat nor skip', async () => {
    for (const sort of ['_status', '-_publish_at', 'title_field_value', '-channel']) {
      const whole = (await list(`&sort=${sort}`)).body.map(({ id }) => id);
      const pages: string[] = [];
      for (let page = 1; page <= 6; page += 1) {
        const query = `?per_page=3&page=${page}&sort=${sort}`;
        const caller = as(app, { token: site.master });
        const { body } = await caller.rest<RestEntry[]>('GET', `/channels/mixed/entries${query}`);
        pages.push(...body.map(({ id }) => id));
      }
      expect([sort, pages]).toEqual([sort, whole]);
    }
  });

  test('user tokens sort by _owner and _acl, too', async () => {
    const db = app.database.prisma;
    const own = await buildSite(db);
    await buildChannel(db, own.id, { id: 'mixed' });
    const caller = as(app, { token: own.master });
    expect((await caller.rest('GET', '/channels/mixed/entries?sort=_owner,-_acl')).status).toBe(200);
  });

  test('titles that differ only after 300 characters sort by what follows, without regard to case', async () => {
    const db = app.database.prisma;
    const own = await buildSite(db);
    const channel = await buildChannel(db, own.id, { id: 'long' });
    for (const end of ['B', 'a', 'C']) await buildEntry(db, channel, { data: { title: `${'x'.repeat(300)}${end}` } });
    const answer = await as(app, { token: own.public }).rest<RestEntry[]>(
      'GET',
      '/channels/long/entries?sort=title_field_value',
    );
    expect(answer.body.map(({ title_field_value: title }) => title?.at(-1))).toEqual(['a', 'B', 'C']);
  });
});

describe('invalid', () => {
  const unknown = [
    'colour_unknown.x',
    '',
    '-',
    '--id',
    'id,',
    ',id',
    'ID',
    ' id',
    'id;slug',
    "a->>'b'",
    't1.id',
    'e.id',
  ];
  const internal = ['site_id', 'version', 'data', 'read_grant', 'title_key', 'channel_uid', '__proto__', 'constructor'];
  test.each([...unknown, 'id,-id', 'id desc', '1', '(select 1)', '_acl.ada', '_owner.x', ...internal])(
    'sort=%s is 400',
    async (sort) => {
      expectProblem(await list(`&sort=${encodeURIComponent(sort)}`), 'bad_request');
    },
  );

  test.each(['_owner', '-_owner', '_acl', 'slug,_owner'])('sort=%s with a public token is 400', async (sort) => {
    expectProblem(await list(`&sort=${sort}`, site.public), 'bad_request');
  });

  test('a private field and one that does not exist are refused in the same words', async () => {
    const of = async (field: string): Promise<unknown> => {
      const { body } = await list(`&sort=${field}`, site.public);
      return JSON.stringify({ ...body, request_id: '' }).replaceAll(field, 'x');
    };
    expect(await of('_owner')).toBe(await of('_nobody'));
  });
});
