// Reads as somebody else, and at another time (docs/contract.md §10.2): each answer is the one that the actor's own request gets.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry } from '../../support/build.ts';
import { buildCallers, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const future = '2999-01-01T00:00:00.000Z';
const scene = await buildScene(app, {
  publishable: true,
  readScope: 'shared',
  fields: [
    { name: 'title', type: 'string' },
    { name: 'year', type: 'integer' },
    { name: 'next', type: 'reference', channel: 'articles' },
    { name: 'others', type: 'references', channel: 'articles' },
  ],
});
const callers = await buildCallers(scene);
const own = { master: as(app, callers.master), user: as(app, callers.user) };

/** One entry for each way to be seen or hidden, and one that refers to all of them. */
async function buildAll(): Promise<string[]> {
  const { db, channel } = scene;
  const entries = [
    { slug: 'plain' },
    { slug: 'draft', status: 'draft' as const },
    { slug: 'later', status: 'scheduled' as const, publishAt: new Date(future) },
    { slug: 'open', acl: { '*': { read: true } } },
    { slug: 'editors', acl: { users: { read: false }, 'role:editor': { read: true } } },
    { slug: 'bobs', acl: { users: { read: false }, bob: { read: true } } },
    { slug: 'adas', owner: 'ada', acl: { 'role:none': { read: true } } },
  ];
  const ids: string[] = [];
  for (const [year, entry] of entries.entries()) {
    const { id } = await buildEntry(db, channel, { ...entry, data: { title: `Of ${entry.slug}`, year } });
    ids.push(id);
  }
  const data = { title: 'Hub', next: ids[4], others: ids };
  await buildEntry(db, channel, { slug: 'hub', data, acl: { '*': { read: true } } });
  return ids;
}
const ids = await buildAll();
await buildChannel(scene.db, scene.site.id, {
  id: 'hidden',
  readScope: 'none',
  fields: [{ name: 'title', type: 'string' }],
});
await buildCustomer(scene.db, scene.site.id, { id: 'role-less' });

/**
 * Actors; the caller whose own requests get what a preview as the actor shows; and a user token that reads all of that itself, by a
 * session of the same customer.
 */
const actors: readonly (readonly [actor: string, own: Caller, alike: Caller])[] = [
  ['anonymous', as(app, callers.public), own.user],
  ['customer:ada', as(app, callers.ada), as(app, callers['user+ada'])],
  ['customer:bob', as(app, callers.bob), as(app, callers['user+bob'])],
];

const questions = [
  '?per_page=3',
  '?per_page=250&sort=slug',
  '?include=next,others.next',
  '?year.gte=2&sort=-year',
  '?q=of',
  '?only=title,_owner,_acl,_version',
  '?next.title=Of%20editors',
  '?where={"others":{"exists":true}}',
  '?sort=_owner',
  '/count',
  '/count?year.lt=4',
  ...['plain', 'draft', 'later', 'open', 'editors', 'bobs', 'adas', 'hub', 'nowhere'].map((slug) => `/${slug}`),
  '/hub?include=next,others',
];

/** What an answer tells but for what names the preview itself. */
const toldBy = ({ status, body, headers }: Awaited<ReturnType<Caller['rest']>>): unknown => {
  const { request_id: _id, ...problem } = body as { request_id?: string };
  const names = ['x-total-count', 'x-total-pages', 'x-page', 'etag', 'vary', 'cache-control'];
  return [status, Array.isArray(body) ? body : problem, names.map((name) => [name, headers.get(name)])];
};

describe.each(actors)('as %s', (actor, caller, alike) => {
  test.each(questions)('a preview of the list %s equals the list of the actor', async (question) => {
    for (const channel of ['articles', 'hidden', 'nowhere']) {
      const path = `/channels/${channel}/entries${question}`;
      const expected = toldBy(await caller.rest('GET', path));
      const preview = `${path}${path.includes('?') ? '&' : '?'}as=${actor}`;
      for (const who of [own.master, alike]) expect(toldBy(await who.rest('GET', preview))).toEqual(expected);
    }
  });

  test('the pages of a preview, by number and by cursor, equal those of the actor', async () => {
    const path = '/channels/articles/entries?sort=slug&per_page=1';
    const pagesOf = async (who: Caller, query: string): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let next: string | null = ''; next !== null;) {
        const answer: Awaited<ReturnType<typeof who.rest<{ slug: string }[]>>> = await who.rest(
          'GET',
          `${path}${query}${next}`,
        );
        expect(answer.status).toBe(200);
        pages.push(answer.body.map(({ slug }) => slug));
        const cursor = answer.headers.get('x-next-cursor');
        next = cursor === null ? null : `&cursor=${cursor}`;
      }
      return pages;
    };
    const expected = await pagesOf(caller, '');
    expect(expected.length).toBeGreaterThan(1);
    for (const who of [own.master, alike]) expect(await pagesOf(who, `&as=${actor}`)).toEqual(expected);
  });
});

const slugs = async (who: Caller, query: string): Promise<string[]> => {
  const { body } = await who.rest<{ slug: string }[]>('GET', `/channels/articles/entries?sort=slug${query}`);
  return body.map(({ slug }) => slug);
};

describe('actors without a session of their own', () => {
  test('a preview as roles equals the view of a signed-in customer without entries', async () => {
    expect(await slugs(own.master, '&as=roles:editor')).toEqual(['adas', 'editors', 'hub', 'open', 'plain']);
    expect(await slugs(own.master, '&as=roles:other,editor,none')).toEqual([
      ...['adas', 'editors', 'hub', 'open', 'plain'],
    ]);
    expect(await slugs(own.master, '&as=roles:"other,editor"')).toEqual(['adas', 'hub', 'open', 'plain']);
    expect(await slugs(own.master, '&as=roles:')).toEqual(['adas', 'hub', 'open', 'plain']);
    const { body } = await own.master.rest('GET', '/channels/articles/entries/adas?as=roles:editor');
    expect([body['_owner'], body['_acl']]).toEqual([undefined, undefined]);
  });

  test('a changed role applies to the next preview', async () => {
    const { id } = await buildCustomer(scene.db, scene.site.id, { id: 'changing' });
    expect(await slugs(own.master, `&as=customer:${id}`)).not.toContain('editors');
    expect((await own.master.rest('PATCH', `/customers/${id}`, { body: { roles: ['editor'] } })).status).toBe(200);
    expect(await slugs(own.master, `&as=customer:${id}`)).toContain('editors');
  });
});

describe('a user token sees in a preview only what the same request without it reads', () => {
  const users = { user: own.user, 'user+ada': as(app, callers['user+ada']), 'user+bob': as(app, callers['user+bob']) };
  const byEach = Object.entries(users).flatMap(([name, who]) => actors.map(([actor]) => [name, actor, who] as const));

  test.each(byEach)(
    'previews by %s as %s have no entry that the caller does not read: lists, totals, counts, searches and fetches',
    async (_name, actor, who) => {
      for (const question of ['', '&q=of', '&year.gte=2', '&next.title=Of%20editors', '&_status=published']) {
        const own = await slugs(who, question);
        const actors = await slugs(scene.master, `${question}&as=${actor}`);
        // The hub refers to an entry that both have to see for a filter to lead through it.
        const isReferring = question.includes('next');
        const both = actors.filter((slug) => own.includes(slug));
        const path = `/channels/articles/entries?sort=slug&per_page=1${question}&as=${actor}`;
        const { headers } = await who.rest('GET', path);
        const shown = await slugs(who, `${question}&as=${actor}`);
        expect([question, shown, headers.get('x-total-count')]).toEqual([question, both, String(both.length)]);
        if (isReferring) expect(both).toEqual(own.includes('hub') && actors.includes('hub') ? ['hub'] : []);
        // A master token counts the same as the same actor just before: the two are not one.
        const count = `/channels/articles/entries/count?as=${actor}${question}`;
        expect((await scene.master.rest('GET', count)).body).toEqual({ count: actors.length });
        expect((await who.rest('GET', count)).body).toEqual({ count: both.length });
      }
      const both = await slugs(who, `&as=${actor}`);
      for (const slug of ['plain', 'draft', 'later', 'open', 'editors', 'bobs', 'adas', 'hub', 'nowhere']) {
        const { status } = await who.rest('GET', `/channels/articles/entries/${slug}?as=${actor}`);
        expect([slug, status]).toEqual([slug, both.includes(slug) ? 200 : 404]);
      }
    },
  );

  test('a preview by a user token as a customer has no entry that only the customer reads', async () => {
    const { db, site, master, channel } = await buildScene(app, { readScope: 'private', publishable: true });
    const { user, ...others } = await buildCallers({ db, site });
    await buildEntry(db, channel, { slug: 'diary', owner: 'ada', status: 'published' });
    const list = '/channels/articles/entries?as=customer:ada';
    expect((await master.rest('GET', list)).body).toHaveLength(1);
    for (const credentials of [user, others['user+bob']]) {
      const { body, headers } = await as(app, credentials).rest('GET', list);
      expect([body, headers.get('x-total-count')]).toEqual([[], '0']);
    }
    expect((await as(app, others['user+ada']).rest('GET', list)).body).toHaveLength(1);
  });

  test.each(byEach)(
    'previews by %s as %s have no entry that the caller does not read: stubs and embedded entries',
    async (_name, actor, who) => {
      const linked = async (by: Caller, query: string): Promise<string[]> => {
        const { body } = await by.rest('GET', `/channels/articles/entries/hub?${query}`);
        return [body['others'] ?? [], body['next'] ?? []].flat().map((each) => (each as { slug: string }).slug);
      };
      for (const include of ['', '&include=others,next', '&include=others.next']) {
        const readable = await linked(who, include);
        const expected = (await linked(own.master, `${include}&as=${actor}`)).filter((slug) => readable.includes(slug));
        expect(await linked(who, `${include}&as=${actor}`)).toEqual(expected);
      }
    },
  );

  test('a cursor of a preview is valid for the caller that got it alone', async () => {
    const path = '/channels/articles/entries?per_page=1&sort=slug&as=customer:ada';
    const everyone = { master: own.master, ...users };
    for (const [made, maker] of Object.entries(everyone)) {
      const cursor = (await maker.rest('GET', path)).headers.get('x-next-cursor');
      for (const [used, user] of Object.entries(everyone)) {
        const { status } = await user.rest('GET', `${path}&cursor=${cursor}`);
        expect([made, used, status]).toEqual([made, used, made === used ? 200 : 400]);
      }
    }
  });

  test('use_acl of a master token leaves its preview as a customer unchanged', async () => {
    const all = await slugs(own.master, '&as=customer:ada');
    for (const name of ['master', 'master+bob'] as const) {
      expect(await slugs(as(app, callers[name]), '&as=customer:ada&use_acl=true')).toEqual(all);
    }
  });
});

describe('at another time', () => {
  const after = encodeURIComponent('2999-01-01T02:00:00.001+02:00');

  test('a preview at a time has the entries that are visible from then on', async () => {
    expect(await slugs(own.master, `&as=anonymous&at=2998-12-31T23:59:59.999Z`)).toEqual(['hub', 'open']);
    expect(await slugs(own.master, `&as=customer:ada&at=${after}`)).toContain('later');
    expect(await slugs(as(app, callers['user+ada']), `&as=customer:ada&at=${future}`)).toContain('later');
    expect(await slugs(own.master, '&as=customer:ada')).not.toContain('later');
    const path = '/channels/articles/entries/later?as=customer:ada';
    expect((await own.master.rest('GET', `${path}&at=${after}`)).status).toBe(200);
    expect((await own.master.rest('GET', path)).status).toBe(404);
  });

  test('totals, counts and references of a preview are those of its time, also right after those of now', async () => {
    const count = async (query: string): Promise<unknown> =>
      (await own.master.rest('GET', `/channels/articles/entries/count?as=customer:ada${query}`)).body['count'];
    const now = Number(await count(''));
    expect([await count(`&at=${after}`), await count('')]).toEqual([now + 1, now]);
    const linked = async (query: string): Promise<unknown> => {
      const { body } = await own.master.rest(
        'GET',
        `/channels/articles/entries/hub?as=customer:ada&include=others${query}`,
      );
      return (body['others'] as { slug: string }[]).map(({ slug }) => slug);
    };
    expect(await linked(`&at=${after}`)).toContain('later');
    expect(await linked('')).not.toContain('later');
    const { headers } = await own.master.rest(
      'GET',
      `/channels/articles/entries?per_page=1&as=customer:ada&at=${after}`,
    );
    expect(headers.get('x-total-count')).toBe(String(now + 1));
  });

  test('a draft is in no preview of another time', async () => {
    expect(await slugs(own.master, `&as=customer:ada&at=9999-12-31T23:59:59Z`)).not.toContain('draft');
  });
});

describe('what is refused', () => {
  const list = '/channels/articles/entries';
  const wrong: [query: string, detail: RegExp][] = [
    ['as=', /as must be anonymous, customer:<id>, roles:<role>,<role> or member:<user id>/],
    ['as=ada', /as must be/],
    ['as=anonymous:', /as must be/],
    ['as=customer:', /id of the customer must not be empty/],
    ['as=roles', /as must be/],
    ['as=roles:a,', /role 2 must not be empty/],
    ['as=roles:"a', /double quote is not closed/],
    ['as=anonymous&as=anonymous', /repeated/],
    ['as=customer:nobody-of-this-id', /there is no customer "nobody-of-this-id"/],
    ['at=2030-01-01T00:00:00Z', /name the actor/],
    ['as=anonymous&at=2030-01-01', /time at must be an ISO 8601 time/],
    ['as=anonymous&at=', /time at must be an ISO 8601 time/],
    ['as=anonymous&at=0000-01-01T00:00:00Z', /time at must be/],
  ];
  test.each(wrong)('a preview with %s is refused', async (query, detail) => {
    for (const path of [list, `${list}/count`, `${list}/plain`, `${list}/plain/access`]) {
      const { status, body } = await own.master.rest('GET', `${path}?${query}`);
      const expected = path.endsWith('/access') && query.startsWith('at=') ? /as is missing/ : detail;
      expect([path, status, body['detail']]).toEqual([path, 400, expect.stringMatching(expected)]);
    }
  });

  test('a preview by a public token is refused alike for each actor, existing or not', async () => {
    for (const name of ['public', 'ada', 'bob'] as const) {
      for (const actor of ['anonymous', 'customer:ada', 'customer:bob', 'customer:nobody', 'roles:editor']) {
        for (const path of [list, `${list}/count`, `${list}/plain`, `${list}/plain/access`]) {
          const { status, body } = await as(app, callers[name]).rest('GET', `${path}?as=${actor}`);
          expect([name, path, status, body['code']]).toEqual([name, path, 403, 'forbidden']);
        }
      }
    }
  });

  test('a preview of writes and of other reads is refused', async () => {
    for (const [method, path, body] of [
      ['POST', list, {}],
      ['PATCH', `${list}/plain`, {}],
      ['PUT', `${list}/plain`, {}],
      ['DELETE', `${list}/plain`, undefined],
      ['POST', `${list}/bulk`, { operations: [] }],
      ['GET', '/channels', undefined],
      ['GET', '/channels/articles', undefined],
      ['GET', '/channels/articles/acl-preview', undefined],
    ] as const) {
      for (const query of ['as=anonymous', 'at=2030-01-01T00:00:00Z']) {
        const answer = await own.master.rest(method, `${path}?${query}`, body ? { body } : {});
        expect([path, answer.status]).toEqual([path, 400]);
      }
    }
  });

  test('a cursor of another actor, of another time or without a preview is refused', async () => {
    const path = `${list}?per_page=1&sort=slug`;
    const cursorOf = async (query: string): Promise<string> =>
      (await own.master.rest('GET', `${path}${query}`)).headers.get('x-next-cursor') ?? '';
    const queries = ['', '&as=anonymous', '&as=customer:ada', '&as=roles:', `&as=customer:ada&at=${future}`];
    for (const made of queries) {
      const cursor = await cursorOf(made);
      for (const used of queries) {
        const { status } = await own.master.rest('GET', `${path}${used}&cursor=${cursor}`);
        expect([made, used, status]).toEqual([made, used, made === used ? 200 : 400]);
      }
    }
  });
});

test('access control applies to a preview by a master token with use_acl, and its session is not the actor', async () => {
  const withAda = as(app, callers['master+ada']);
  expect(await slugs(withAda, '&as=anonymous&use_acl=true')).toEqual(['hub', 'open']);
  expect(await slugs(as(app, callers['user+ada']), '&as=anonymous')).toEqual(['hub', 'open']);
  expect(await slugs(as(app, callers.user), '&as=customer:ada')).toEqual(['hub', 'open']);
});

test('included references of a preview are those that the actor sees', async () => {
  const { body } = await own.master.rest('GET', '/channels/articles/entries/hub?as=anonymous&include=others,next');
  expect([(body['others'] as { slug: string }[]).map(({ slug }) => slug), body['next']]).toEqual([['open'], null]);
  expect(ids).toHaveLength(7);
});
