// The client of clients/typescript against the service: what it sends is what the service takes, and what it gives is what
// is stored. Its package, its types and a browser: test/once/clients/.
import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClient, EntrywayError, type Client } from '../../../clients/typescript/src/index.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

interface Film {
  id: string;
  url: string;
  short_id: string;
  slug: string;
  channel: 'films';
  created_at: string;
  updated_at: string;
  title_field_value: string | null;
  _status: 'draft' | 'scheduled' | 'published';
  _publish_at: string | null;
  title: string | null;
  year: number | null;
  director: { id: string; channel: string; slug: string; title_field_value: string | null } | null;
}

/** As `entryway types` prints it, in short. */
interface Channels {
  films: {
    entry: Film;
    input: { title: string; year?: number | null; slug?: string; director?: string | null };
    patch: { title?: string; year?: number | null };
    filters: { title?: string; year?: number | { gte?: number; lt?: number }; director?: string };
    sort: 'title' | 'year';
    references: { director: 'people' };
  };
  people: {
    entry: Omit<Film, 'channel' | 'title' | 'year' | 'director'> & { channel: 'people'; name: string | null };
    input: { name?: string };
    patch: { name?: string };
    filters: { name?: string };
    sort: 'name';
    references: object;
  };
}

const app = await suiteApp();
const db = app.database.prisma;
const filmCount = 8;

/** A new site with films of the years 1991 and later, and the client of its master token. */
async function buildFilms(): Promise<{
  site: Awaited<ReturnType<typeof buildSite>>;
  master: Client<Channels>;
  visitor: Client<Channels>;
}> {
  const site = await buildSite(db);
  const people = await buildChannel(db, site.id, {
    id: 'people',
    titleField: 'name',
    fields: [{ name: 'name', type: 'string' }],
  });
  const films = await buildChannel(db, site.id, {
    id: 'films',
    createScope: 'shared',
    updateScope: 'private',
    fields: [
      { name: 'title', type: 'string', required: true },
      { name: 'year', type: 'integer' },
      { name: 'director', type: 'reference', channel: 'people' },
    ],
  });
  const { id: director } = await buildEntry(db, people, { slug: 'ada', data: { name: 'Ada' } });
  for (let number = 1; number <= filmCount; number += 1) {
    const data = { title: `Film ${number}`, year: 1_990 + number, ...(number < 3 && { director }) };
    await buildEntry(db, films, { slug: `film-${number}`, data });
  }
  const client = (token: string): Client<Channels> => createClient<Channels>({ url: `${app.url}/`, token });
  return { site, master: client(site.master), visitor: client(site.public) };
}

/** The error that a call ends with. */
async function failure(call: Promise<unknown>): Promise<EntrywayError> {
  const error = await call.then(
    () => new Error('The call did not fail.'),
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof EntrywayError)) throw error as Error;
  return error;
}

let scene: Awaited<ReturnType<typeof buildFilms>>;
beforeEach(async () => {
  scene = await buildFilms();
});

const years = (films: readonly { year: number | null }[]): (number | null)[] => films.map(({ year }) => year);

describe('lists', () => {
  test('the client’s iterator reads all pages, up to its limit', async () => {
    const films = scene.visitor.channel('films');
    const all = await films.list({ sort: ['-year'], pageSize: 3 }).all();
    expect(years(all)).toEqual([1998, 1997, 1996, 1995, 1994, 1993, 1992, 1991]);
    expect(years(await films.list({ sort: ['year'], pageSize: 3, limit: 4 }).all())).toEqual([1991, 1992, 1993, 1994]);
    expect(await films.list({ limit: 0 }).all()).toEqual([]);
    const seen: (number | null)[] = [];
    for await (const { year } of films.list({ sort: ['year'], pageSize: 2 })) {
      seen.push(year);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([1991, 1992, 1993]);
  });

  test('the client filters, searches and follows references', async () => {
    const films = scene.visitor.channel('films');
    const found = films.list({ where: { or: [{ year: { lt: 1992 } }, { title: 'Film 8' }] }, sort: ['year'] });
    expect(years(await found.all())).toEqual([1991, 1998]);
    expect(years(await films.list({ where: { 'director.name': 'Ada', not: { year: 1991 } } }).all())).toEqual([1992]);
    expect((await films.list({ search: 'film' }).all()).length).toBe(filmCount);
    expect(await films.count({ where: { year: { gte: 1995 } } })).toBe(4);
    const [first] = await films.list({ where: { year: 1991 }, include: ['director'] }).all();
    expect([first?.director?.name, first?.director?.slug]).toEqual(['Ada', 'ada']);
  });

  test('the client’s pages have a cursor and a total', async () => {
    const list = scene.visitor.channel('films').list({ sort: ['year'], pageSize: 5, only: ['year', '_version'] });
    const first = await list.page();
    expect([years(first.entries), first.total]).toEqual([[1991, 1992, 1993, 1994, 1995], filmCount]);
    expect(Object.keys(first.entries[0] ?? {}).sort()).toEqual(['_version', 'id', 'year']);
    const second = await list.page({ cursor: first.next });
    expect([years(second.entries), second.next]).toEqual([[1996, 1997, 1998], null]);
  });
});

describe('entries', () => {
  test('the client creates, fetches, updates and deletes entries', async () => {
    const films = scene.master.channel('films');
    const created = await films.create({ title: 'Alien', year: 1979, director: 'ada' });
    expect(created).toMatchObject({ slug: 'alien', year: 1979, director: { slug: 'ada' }, _version: 1 });
    const updated = await films.update('alien', { year: null }, { ifVersion: created._version });
    expect([updated._version, updated.year, updated.title]).toEqual([2, null, 'Alien']);
    expect(await films.get(created.id, { include: ['director'] })).toMatchObject({
      director: { name: 'Ada' },
      _version: 2,
    });
    expect(await films.get('alien', { only: ['title'] })).toEqual({ id: created.id, title: 'Alien', _version: 2 });
    const stale = await failure(films.update('alien', { year: 1 }, { ifVersion: created._version }));
    expect([stale.status, stale.code]).toEqual([412, 'precondition_failed']);
    expect((await failure(films.delete('alien', { ifVersion: 1 }))).code).toBe('precondition_failed');
    await films.delete('alien', { ifVersion: 2 });
    expect((await failure(films.get('alien'))).code).toBe('not_found');
  });

  test('the client’s creates with one idempotency key store one entry', async () => {
    const films = scene.master.channel('films');
    const options = { idempotencyKey: 'one' };
    const first = await films.create({ title: 'Alien' }, options);
    expect(await films.create({ title: 'Alien' }, options)).toEqual(first);
    expect(await films.count({ where: { title: 'Alien' } })).toBe(1);
    // Without a key each call is one of its own.
    await films.create({ title: 'Alien' });
    expect(await films.count({ where: { title: 'Alien' } })).toBe(2);
    expect((await failure(films.create({ title: 'Aliens' }, options))).errors[0]?.code).toBe('reused');
  });

  test('the client writes many entries in one request', async () => {
    const films = scene.master.channel('films');
    const results = await films.bulk([
      { op: 'create', data: { title: 'Alien' } },
      { op: 'update', id: 'film-1', data: { year: 2001 }, ifVersion: 1 },
      { op: 'update', id: 'film-2', data: { year: 2001 }, ifVersion: 7 },
      { op: 'delete', id: 'film-3', ifVersion: 1 },
    ]);
    expect(results.map(({ status, entry, error }) => [status, entry?._version, error?.code])).toEqual([
      [201, 1, undefined],
      [200, 2, undefined],
      [412, undefined, 'precondition_failed'],
      [204, undefined, undefined],
    ]);
    const none = await films.bulk(
      [
        { op: 'delete', id: 'film-4' },
        { op: 'delete', id: 'nowhere' },
      ],
      { atomic: true },
    );
    expect(none.map(({ status }) => status)).toEqual([409, 404]);
  });
});

describe('errors', () => {
  test('the client’s errors have the members of the problem', async () => {
    const error = await failure(scene.master.channel('films').create({ title: '', year: 1.5 }));
    expect(error).toBeInstanceOf(Error);
    expect(error).toMatchObject({ name: 'EntrywayError', status: 422, code: 'validation_failed' });
    expect(error.errors.map(({ field }) => field)).toContain('year');
    expect([error.message, error.requestId]).toEqual([error.problem?.detail, error.problem?.request_id]);
  });

  test('the client’s errors distinguish refused credentials', async () => {
    const stranger = createClient<Channels>({ url: app.url, token: 'ew_public_none' });
    expect((await failure(stranger.channel('films').get('film-1'))).status).toBe(401);
    expect((await failure(scene.visitor.channel('films').create({ title: 'Alien' }))).code).toBe('forbidden');
    const { token } = await buildUser(db, { memberOf: [scene.site.id] });
    const user = { url: app.url, token };
    expect((await failure(createClient<Channels>(user).channel('films').get('film-1'))).status).toBe(400);
    const member = createClient<Channels>({ ...user, site: scene.site.id });
    expect((await member.channel('films').get('film-1')).year).toBe(1991);
    expect(() => createClient({ url: 'films', token })).toThrow(/Invalid URL/);
    expect(() => createClient({ url: app.url, token: 'a\nb' })).toThrow(/header/i);
  });
});

test('the client signs a customer in, writes and signs out', async () => {
  const { id } = await buildCustomer(db, scene.site.id, { id: 'ada' });
  const session = await scene.master.createSession(id, { ttlSeconds: 60 });
  expect([session.customer, Date.parse(session.expires_at) - Date.parse(session.created_at)]).toEqual(['ada', 60_000]);
  const ada = scene.visitor.withSession(session.token);
  const { slug } = await ada.channel('films').create({ title: 'Mine' });
  expect((await ada.channel('films').update(slug, { year: 2000 })).year).toBe(2000);
  expect((await failure(ada.withSession(null).channel('films').update(slug, { year: 2001 }))).status).toBe(403);
  // A master token with a session bypasses access control, unless it is told not to.
  const { site } = scene;
  const checked = createClient<Channels>({ url: app.url, token: site.master, session: session.token, useAcl: true });
  expect((await failure(checked.channel('films').update('film-1', { year: 2001 }))).status).toBe(403);
  await ada.endSession();
  expect((await failure(ada.channel('films').get(slug))).code).toBe('unauthenticated');
});

describe('changes', () => {
  test('the client reads changes to the end of the feed, and from a cursor on', async () => {
    const { cursor } = await scene.master.changes({ after: 'now' }).page();
    const films = scene.master.channel('films');
    for (const title of ['One', 'Two', 'Three']) await films.create({ title });
    await scene.master.channel('people').update('ada', { name: 'Ada L.' });
    const options = { after: cursor, follow: false, pageSize: 2, include: 'entry' } as const;
    const told: string[] = [];
    for await (const change of scene.master.changes(options)) {
      // The channel says of which kind the entry is.
      const what = change.channel === 'films' ? change.entry?.title : change.entry?.name;
      told.push(`${change.type} ${change.channel} ${what ?? ''}`);
    }
    const created = ['One', 'Two', 'Three'].map((title) => `entry.created films ${title}`);
    expect(told).toEqual([...created, 'entry.updated people Ada L.']);
    const own: (string | null | undefined)[] = [];
    for await (const { entry } of films.changes(options)) own.push(entry?.title);
    expect(own).toEqual(['One', 'Two', 'Three']);
  });

  test('the client waits for changes to come, until its signal aborts', async () => {
    const controller = new AbortController();
    const told: string[] = [];
    const reading = (async () => {
      const { signal } = controller;
      for await (const { type, cursor } of scene.master.channel('films').changes({ after: 'now', signal })) {
        expect(cursor).not.toBe('');
        told.push(type);
        // What comes while the reader waits.
        if (told.length === 2) controller.abort(new Error('enough'));
      }
    })();
    const ended = reading.catch((error: unknown) => error);
    // `now` is when the reader asks: until it is told of something, something goes on happening.
    const films = scene.master.channel('films');
    for (let year = 1; !controller.signal.aborted; year += 1) {
      await films.update('film-1', { year });
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(await ended).toEqual(new Error('enough'));
    expect(told).toEqual(['entry.updated', 'entry.updated']);
  });
});

test('every call of the client ends with its signal', async () => {
  const signal = AbortSignal.abort(new Error('over'));
  const films = scene.master.channel('films');
  const calls = [
    films.list({ signal }).all(),
    films.list({ signal }).page(),
    films.get('film-1', { signal }),
    films.count({ signal }),
    films.create({ title: 'Alien' }, { signal }),
    films.update('film-1', {}, { signal }),
    films.delete('film-1', { signal }),
    films.bulk([{ op: 'delete', id: 'film-1' }], { signal }),
    films.changes({ signal }).page(),
    scene.master.createSession('ada', { signal }),
    scene.master.endSession({ signal }),
  ];
  for (const call of calls) await expect(call).rejects.toThrow('over');
  expect(await films.count()).toBe(filmCount);
});
