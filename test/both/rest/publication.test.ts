// Publication: what states mean and what writes make of them (docs/contract.md §4, each bullet).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Status } from '../../../src/rules/publication.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type Credentials } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser, type TestSite } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const path = '/channels/news/entries';
const past = new Date(Date.now() - 60_000);
const future = new Date(Date.now() + 3_600_000);

/** A site with the channel `news`, a customer and a user. */
async function buildNews(channel: Parameters<typeof buildChannel>[2], entry?: Parameters<typeof buildEntry>[2]) {
  const db = app.database.prisma;
  const site: TestSite = await buildSite(db);
  const news = await buildChannel(db, site.id, { id: 'news', publishable: true, ...channel });
  if (entry) await buildEntry(db, news, { slug: 'one', ...entry });
  const { session } = await buildCustomer(db, site.id, { id: 'ada' });
  const user = { token: (await buildUser(db, { memberOf: [site.id] })).token, site: site.id };
  const callers: Record<'master' | 'public' | 'ada' | 'user' | 'user+ada' | 'master+ada', Credentials> = {
    master: { token: site.master },
    public: { token: site.public },
    ada: { token: site.public, session },
    user,
    'user+ada': { ...user, session },
    'master+ada': { token: site.master, session },
  };
  return { site, callers };
}

test('totals, on a page that does not reach the end, leave hidden entries out at both doors', async () => {
  const { site, callers } = await buildNews({});
  const news = await app.database.prisma.channel.findUniqueOrThrow({
    where: { siteId_id: { siteId: site.id, id: 'news' } },
  });
  for (const status of ['published', 'published', 'published', 'draft', 'scheduled'] as const) {
    await buildEntry(app.database.prisma, news, { status, publishAt: status === 'scheduled' ? future : null });
  }
  for (const [name, total] of [
    ['public', 3],
    ['ada', 3],
    ['user', 5],
    ['master', 5],
  ] as const) {
    const caller = as(app, callers[name]);
    const listed = await caller.rest('GET', `${path}?per_page=1`);
    const query = '{ entries(channel: "news", first: 1) { totalCount } }';
    const { data } = await caller.gql<{ entries: { totalCount: number } }>(query);
    expect([name, listed.headers.get('x-total-count'), data.entries.totalCount]).toEqual([name, String(total), total]);
  }
});

describe('what is visible', () => {
  const times = { none: null, past, future };
  const states: [status: Status, time: keyof typeof times, isVisible: boolean][] = [
    ['draft', 'none', false],
    ['draft', 'past', false],
    ['draft', 'future', false],
    ['published', 'none', true],
    ['published', 'past', true],
    ['published', 'future', false],
    ['scheduled', 'past', true],
    ['scheduled', 'future', false],
  ];
  test.each(states)('%s with the time %s: publicly %s', async (status, time, isVisible) => {
    const publishAt = times[time];
    const { callers } = await buildNews({}, { status, publishAt, owner: 'ada' });
    const shown = { _status: status, _publish_at: publishAt?.toISOString() ?? null };
    for (const [name, credentials] of Object.entries(callers)) {
      const caller = as(app, credentials);
      const sees = isVisible || !['public', 'ada'].includes(name);
      for (const query of name.startsWith('master') ? ['', '?use_acl=true'] : ['']) {
        const fetched = await caller.rest('GET', `${path}/one${query}`);
        const listed = await caller.rest<unknown[]>('GET', path + query);
        const counted = await caller.rest('GET', `${path}/count${query}`);
        const got = [fetched.status, listed.body.length, listed.headers.get('x-total-count'), counted.body];
        expect([name, query, ...got]).toEqual([
          name,
          query,
          sees ? 200 : 404,
          sees ? 1 : 0,
          sees ? '1' : '0',
          { count: sees ? 1 : 0 },
        ]);
        expect(sees ? fetched.body : shown).toMatchObject(shown);
      }
    }
  });

  test('everything is visible to all in a channel that is not publishable', async () => {
    for (const [status, time] of states) {
      const { callers } = await buildNews({ publishable: false }, { status, publishAt: times[time] });
      expectEntry(await as(app, callers.public).rest('GET', `${path}/one`));
      expect((await as(app, callers.public).rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
    }
  });

  test('time alone makes an entry visible', async () => {
    const { callers } = await buildNews({}, { status: 'draft' });
    const publishAt = new Date(Date.now() + 1500);
    const body = { _status: 'scheduled', _publish_at: publishAt.toISOString() };
    expectEntry(await as(app, callers.master).rest('PUT', `${path}/one`, { body }));
    const visitor = as(app, callers.public);
    expectProblem(await visitor.rest('GET', `${path}/one`), 'not_found');
    await new Promise((resolve) => setTimeout(resolve, publishAt.getTime() - Date.now() + 20));
    expect(expectEntry(await visitor.rest('GET', `${path}/one`))._status).toBe('scheduled');
    expect((await visitor.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
  });

  test('access control holds beside it: neither opens what the other hides', async () => {
    const { callers } = await buildNews({ readScope: 'none' }, { status: 'draft', acl: { '*': { read: true } } });
    expectProblem(await as(app, callers.public).rest('GET', `${path}/one`), 'not_found');
    const { callers: others } = await buildNews({ readScope: 'none' }, { status: 'published' });
    expectProblem(await as(app, others.user).rest('GET', `${path}/one`), 'not_found');
  });
});

describe('writes by a master token', () => {
  test('create drafts in a publishable channel, and start as published in another', async () => {
    for (const [publishable, status] of [
      [true, 'draft'],
      [false, 'published'],
    ] as const) {
      const { callers } = await buildNews({ publishable });
      const answer = await as(app, callers.master).rest('POST', path, { body: {} });
      expect(expectEntry(answer, 201)).toMatchObject({ _status: status, _publish_at: null });
    }
  });

  test.each([
    ['draft', '2031-01-01T00:00:00+02:00', '2030-12-31T22:00:00.000Z'],
    ['scheduled', '2001-01-01T00:00:00.5Z', '2001-01-01T00:00:00.500Z'],
    ['published', '2031-01-01T12:00:00.123Z', '2031-01-01T12:00:00.123Z'],
    ['published', null, null],
  ])('%s with %s is returned as it was set', async (status, time, returned) => {
    const { callers } = await buildNews({}, { status: 'published', publishAt: past });
    const body = { _status: status, _publish_at: time };
    for (const answer of [
      expectEntry(await as(app, callers.master).rest('POST', path, { body }), 201),
      expectEntry(await as(app, callers.master).rest('PUT', `${path}/one`, { body })),
      expectEntry(await as(app, callers['master+ada']).rest('POST', path, { body }), 201),
    ]) {
      expect([answer._status, answer._publish_at]).toEqual([status, returned]);
    }
  });

  test('a missing time is refused together with every other error, on create and on update', async () => {
    const { callers } = await buildNews({}, { status: 'scheduled', publishAt: future });
    const master = as(app, callers.master);
    const refused = async (method: 'POST' | 'PUT', at: string, body: object, fields: readonly string[]) =>
      expectProblem(await master.rest(method, at, { body }), 'validation_failed', fields);
    await refused('POST', path, { slug: 'Bad Slug', _status: 'scheduled' }, ['slug', '_publish_at']);
    // What an update leaves alone counts: the state of the stored entry here, and its time below.
    await refused('PUT', `${path}/one`, { slug: 'Bad Slug', _publish_at: null }, ['slug', '_publish_at']);
    await refused('PUT', `${path}/one`, { slug: 'Bad Slug', _status: 'scheduled' }, ['slug']);
    await refused('POST', path, { _status: 'scheduled', _publish_at: 'soon' }, ['_publish_at']);
  });

  test('leave the state alone where they don’t name it', async () => {
    const { callers } = await buildNews({}, { status: 'scheduled', publishAt: future });
    const answer = await as(app, callers.master).rest('PUT', `${path}/one`, { body: { n: 1 } });
    expect(expectEntry(answer)).toMatchObject({ _status: 'scheduled', _publish_at: future.toISOString() });
  });
});

describe('writes by public and user tokens', () => {
  const others = ['public', 'ada', 'user', 'user+ada'] as const;
  const open = { createScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
  const payloads = [
    {},
    { _status: 'published', _publish_at: past.toISOString() },
    { _status: 'scheduled' },
    { _status: 'nonsense', _publish_at: 5 },
    { _status: null },
  ];
  const draft = { _status: 'draft', _publish_at: null };

  test.each(others)('%s creates drafts without a time in a publishable channel, whatever is sent', async (name) => {
    const { callers } = await buildNews(open);
    for (const body of payloads) {
      const answer = await as(app, callers[name]).rest('POST', path, { body });
      expect(expectEntry(answer, 201)).toMatchObject(draft);
    }
  });

  test.each(others)(
    '%s makes drafts by updates in a publishable channel, whatever is sent and whatever it was',
    async (name) => {
      for (const body of payloads) {
        for (const status of ['published', 'scheduled'] as const) {
          const { callers } = await buildNews(open, { status, publishAt: past });
          const answer = await as(app, callers[name]).rest('PUT', `${path}/one`, { body });
          expect(expectEntry(answer)).toMatchObject(draft);
          const stored = await as(app, callers.master).rest('GET', `${path}/one`);
          expect(expectEntry(stored)).toMatchObject(draft);
          expect(stored.headers.get('etag')).toMatch(/^"2\./);
        }
      }
    },
  );

  test.each(others)('%s leaves the state alone in a channel that is not publishable', async (name) => {
    for (const body of payloads) {
      const { callers } = await buildNews({ publishable: false, ...open }, { status: 'scheduled', publishAt: future });
      const updated = await as(app, callers[name]).rest('PUT', `${path}/one`, { body });
      expect(expectEntry(updated)).toMatchObject({ _status: 'scheduled', _publish_at: future.toISOString() });
      const created = await as(app, callers[name]).rest('POST', path, { body });
      expect(expectEntry(created, 201)).toMatchObject({ _status: 'published', _publish_at: null });
    }
  });

  test('an owner goes on editing the draft that the last update made, and may delete it', async () => {
    const own = {
      createScope: 'private',
      readScope: 'private',
      updateScope: 'private',
      deleteScope: 'private',
    } as const;
    const { callers } = await buildNews(own, { owner: 'ada', data: { title: 'One' } });
    const ada = as(app, callers.ada);
    for (const n of [1, 2, 3]) {
      const entry = expectEntry(await ada.rest('PUT', `${path}/one`, { body: { n } }));
      expect(entry).toMatchObject({ title: 'One', n, _status: 'draft', _owner: 'ada' });
      expectProblem(await ada.rest('GET', `${path}/one`), 'not_found');
    }
    expect((await ada.rest('DELETE', `${path}/one`)).status).toBe(204);
  });

  test('what publication hides is 404 to a caller who may not write it, and 403 where it is not hidden', async () => {
    const { callers } = await buildNews({}, { status: 'draft' });
    for (const [name, code] of [
      ['public', 'not_found'],
      ['ada', 'not_found'],
      ['user', 'forbidden'],
    ] as const) {
      expectProblem(await as(app, callers[name]).rest('PUT', `${path}/one`, { body: {} }), code);
      expectProblem(await as(app, callers[name]).rest('DELETE', `${path}/one`), code);
    }
  });
});

test('a channel that becomes publishable hides its drafts at once, and shows them when it is not any more', async () => {
  const { callers } = await buildNews({ publishable: false }, { status: 'draft' });
  const set = async (publishable: boolean): Promise<void> => {
    const input = `input: { publishable: ${publishable} }, confirm: "news"`;
    const { errors } = await as(app, callers.master).gql(`mutation { updateChannel(id: "news", ${input}) { id } }`);
    expect(errors).toBeUndefined();
  };
  for (const [publishable, status] of [
    [true, 404],
    [false, 200],
  ] as const) {
    await set(publishable);
    expect((await as(app, callers.public).rest('GET', `${path}/one`)).status).toBe(status);
  }
});
