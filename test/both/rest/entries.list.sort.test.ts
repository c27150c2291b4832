// GET /channels/{channel_id}/entries?sort=…: every fixed field in both directions (docs/contract.md §5). What comes back is
// compared with the order that the oracle of test/both/lists works out from the entries themselves.
import { beforeAll, describe, expect, test } from '@jest/globals';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildEntry, type TestSite } from '../../support/build.ts';
import { type RestEntry } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';
import { sorted } from '../lists/oracle.ts';

const app = await suiteApp();
let site: TestSite;
beforeAll(async () => {
  site = await buildMixedEntries();
});

/** Entries that differ, and agree, in every fixed field. Titles: case, marks, absent ones, and beyond 16 bits. */
async function buildMixedEntries(): Promise<TestSite> {
  const fields = [{ name: 'title', type: 'json' }] as const;
  const { db, site: mixed, channel } = await buildScene(app, { publishable: true, fields: [...fields] });
  const words = ['b', 'B', 'a', 'A', 'É', 'é', 'e', 'Zoo', '10', '9', 'a b', 'aB', '', '｡', '😀', 'a'];
  const titles = [...words, undefined, null];
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
    // Unlike `update` it has nothing returned, which Citus refuses.
    const where = { siteId: mixed.id, id: entryId };
    await db.entry.updateMany({ where, data: { updatedAt: new Date(1_750_000_000_000 - (index % 5) * 1000) } });
  }
  return mixed;
}

function list(query: string, token = site.master, size = 250): Promise<RestAnswer<RestEntry[]>> {
  return as(app, { token }).rest<RestEntry[]>('GET', `/channels/articles/entries?per_page=${size}${query}`);
}

/** The ids of what came back, in the order that it came and in the order that it should have. */
async function orders(sort: string, query = `&sort=${sort}`): Promise<[came: string[], due: string[]]> {
  const { status, body } = await list(query);
  expect([status, body.length]).toEqual([200, 18]);
  return [body.map(({ id }) => id), sorted(body, sort.split(',')).map(({ id }) => id)];
}

describe('allowed', () => {
  const fields = [
    ...['id', 'url', 'short_id', 'slug', 'channel', 'created_at', 'updated_at'],
    ...['title_field_value', '_status', '_publish_at', '_owner'],
  ];
  const sorts = [
    ...fields.flatMap((field) => [field, `-${field}`]),
    ...['_status,-created_at', '-_status,title_field_value', '-title_field_value,created_at', '_publish_at,-_owner'],
    ...['_owner,_publish_at,-title_field_value', 'channel,-slug'],
  ];
  test.each(sorts)('a list with sort=%s has the order of its keys', async (sort) => {
    const [came, due] = await orders(sort);
    expect(came).toEqual(due);
  });

  test('a list without a sort has the newest entries first, ties by id descending', async () => {
    const [came, due] = await orders('-created_at', '');
    expect(came).toEqual(due);
  });

  test.each(['_acl', '-_acl'])(
    'a list with sort=%s has the same order each time, and all visible entries',
    async (sort) => {
      const [once, again, plain] = [await list(`&sort=${sort}`), await list(`&sort=${sort}`), await list('')];
      expect(once.body.map(({ id }) => id)).toEqual(again.body.map(({ id }) => id));
      expect(once.body.map(({ id }) => id).sort()).toEqual(plain.body.map(({ id }) => id).sort());
      const empty = once.body.map(({ _acl }) => Object.keys(_acl ?? {}).length === 0);
      expect(empty.indexOf(false) === 9 || empty.indexOf(true) === 9).toBe(true);
    },
  );

  test('pages of a sort with many ties neither repeat nor skip', async () => {
    for (const sort of ['_status', '-_publish_at', 'title_field_value', '-channel']) {
      const whole = (await list(`&sort=${sort}`)).body.map(({ id }) => id);
      const pages: string[] = [];
      for (let page = 1; page <= 6; page += 1) {
        const { body } = await list(`&page=${page}&sort=${sort}`, site.master, 3);
        pages.push(...body.map(({ id }) => id));
      }
      expect([sort, pages]).toEqual([sort, whole]);
    }
  });

  test('titles that differ only after 300 characters sort by what follows, without regard to case', async () => {
    const { db, channel, visitor } = await buildScene(app);
    for (const end of ['B', 'a', 'C']) await buildEntry(db, channel, { data: { title: `${'x'.repeat(300)}${end}` } });
    const answer = await visitor.rest<RestEntry[]>('GET', '/channels/articles/entries?sort=title_field_value');
    expect(answer.body.map(({ title_field_value: title }) => title?.at(-1))).toEqual(['a', 'B', 'C']);
  });
});
