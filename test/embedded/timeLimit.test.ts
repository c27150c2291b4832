// A list on the embedded database ends when it has read entries for too long: its statement cannot be cancelled, and
// delays all others meanwhile.
import { beforeAll, expect, test } from '@jest/globals';
import { withEntries, type EntryClient } from '../../src/entries/model.ts';
import type { EntryMatch } from '../../src/entries/sql/expressions.ts';
import { filterSql } from '../../src/entries/sql/filterSql.ts';
import type { Predicate } from '../../src/entries/condition.ts';
import { buildChannel, buildEntry } from '../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../support/scene.ts';

// Any time is too long for what these lists look into.
const app = await suiteApp({ SCAN_TIMEOUT: '1', FILTER_MAX_COST: '1000000000000' });
let scene: Scene;
let entries: EntryClient['entry'];
let match: EntryMatch;

beforeAll(async () => {
  scene = await buildScene(app);
  const { db, site, channel } = scene;
  entries = withEntries(db, app.database.statements).entry;
  const films = await buildChannel(db, site.id, {
    id: 'films',
    fields: [{ name: 'about', type: 'reference', channel: 'articles' }],
  });
  for (let at = 0; at < 50; at += 1) {
    const target = await buildEntry(db, channel, {
      slug: at === 0 ? 'first' : `other-${at}`,
      data: { body: 'слово word '.repeat(20_000) },
    });
    await buildEntry(db, films, { data: { about: target.id } });
  }
  const viewer: EntryMatch['viewer'] = {
    ...{
      subject: { is: 'unchecked' },
      audience: 'management',
      mayReadPrivateMembers: true,
      now: new Date(),
      scopes: null,
      at: null,
      within: null,
      isUser: false,
    },
  };
  match = { channel, viewer, baseUrl: '', maxMilliseconds: null, predicate: { and: [] }, search: null };
});

const contains = (name: string): object => ({
  or: Array.from({ length: 20 }, (_, at) => ({ [name]: { contains: `zzz${at}` } })),
});

test.each<[string, string, object]>([
  ['comparisons', 'articles', contains('body')],
  ['comparisons below a negation', 'articles', { not: contains('body') }],
  ['comparisons through a reference', 'films', contains('about.body')],
])('a list and a count that read for too long get 503: %s', async (_what, channel, where) => {
  for (const path of ['entries', 'entries/count']) {
    const query = `where=${encodeURIComponent(JSON.stringify(where))}`;
    const answer = await scene.visitor.rest('GET', `/channels/${channel}/${path}?${query}`);
    const detail = expect.stringMatching(/looked into entries for 1 milliseconds/);
    expect(answer).toMatchObject({ status: 503, body: { code: 'unavailable', detail } });
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
  }
  expect((await scene.visitor.rest('GET', '/channels/articles/entries/first?only=id')).status).toBe(200);
});

test('a count checks its time limit at each entry, with a search and without', async () => {
  const tooLong = { code: 'unavailable' };
  const search = { ...match, search: 'word' };
  for (const each of [match, search]) {
    await expect(entries.countVisible({ ...each, maxMilliseconds: 0 }, null)).rejects.toMatchObject(tooLong);
    expect(await entries.countVisible(each, null)).toBeGreaterThan(-1);
  }
});

test('the SQL of a filter checks the time limit for each comparison of texts and each referenced entry', () => {
  const limited = { ...match, maxMilliseconds: 7 };
  const field = {
    name: 'body',
    member: null,
    kind: 'text',
    options: null,
    isNormalized: false,
    isIndexed: false,
  } as const;
  const compared: Predicate = { field, op: 'contains', values: [['a'], ['b']] };
  const through: Predicate = { through: 'about', channel: match.channel, target: { and: [] } };
  const times = (predicate: Predicate, scope: EntryMatch): number =>
    filterSql(predicate, scope, null).sql.split('entryway_in_time').length - 1;
  expect([times(compared, limited), times(through, limited)]).toEqual([2, 1]);
  expect([times(compared, match), times(through, match)]).toEqual([0, 0]);
});
