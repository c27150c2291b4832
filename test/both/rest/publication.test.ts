// Publication: what states mean and what writes make of them (docs/contract.md §4, each bullet).
import { describe, expect, test } from '@jest/globals';
import type { Status } from '../../../src/rules/publication.ts';
import { as } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildCallers, buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/news/entries';
const past = new Date(Date.now() - 60_000);
const future = new Date(Date.now() + 3_600_000);

/** A site with the channel `news`, and who may ask there. */
async function buildNews(channel: Parameters<typeof buildScene>[1], entry?: Parameters<typeof buildEntry>[2]) {
  const scene = await buildScene(app, { id: 'news', publishable: true, ...channel });
  if (entry) await buildEntry(scene.db, scene.channel, { slug: 'one', ...entry });
  return { ...scene, callers: await buildCallers(scene) };
}

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
  test.each(states)(
    'an entry with the status %s and the time %s is publicly visible: %s',
    async (status, time, isVisible) => {
      const publishAt = times[time];
      const { callers } = await buildNews({}, { status, publishAt, owner: 'ada' });
      const shown = { _status: status, _publish_at: publishAt?.toISOString() ?? null };
      for (const name of ['public', 'ada', 'user', 'master', 'master+ada'] as const) {
        const sees = isVisible || !['public', 'ada'].includes(name);
        for (const query of name.startsWith('master') ? ['', '?use_acl=true'] : ['']) {
          const caller = as(app, callers[name]);
          const fetched = await caller.rest('GET', `${path}/one${query}`);
          const listed = await caller.rest<unknown[]>('GET', path + query);
          const counted = await caller.rest('GET', `${path}/count${query}`);
          const got = [fetched.status, listed.body.length, listed.headers.get('x-total-count'), counted.body];
          const expected = sees ? [200, 1, '1', { count: 1 }] : [404, 0, '0', { count: 0 }];
          expect([name, query, ...got]).toEqual([name, query, ...expected]);
          expect(sees ? fetched.body : shown).toMatchObject(shown);
        }
      }
    },
  );

  test('an entry becomes visible at its time without a write', async () => {
    const { master, visitor } = await buildNews({}, { status: 'draft' });
    const publishAt = new Date(Date.now() + 1500);
    const body = { _status: 'scheduled', _publish_at: publishAt.toISOString() };
    expectEntry(await master.rest('PUT', `${path}/one`, { body }));
    expectProblem(await visitor.rest('GET', `${path}/one`), 'not_found');
    await new Promise((resolve) => setTimeout(resolve, publishAt.getTime() - Date.now() + 20));
    expect(expectEntry(await visitor.rest('GET', `${path}/one`))._status).toBe('scheduled');
    expect((await visitor.rest('GET', `${path}/count`)).body).toEqual({ count: 1 });
  });
});

describe('writes by a master token', () => {
  test.each([
    ['draft', '2031-01-01T00:00:00+02:00', '2030-12-31T22:00:00.000Z'],
    ['scheduled', '2001-01-01T00:00:00.5Z', '2001-01-01T00:00:00.500Z'],
    ['published', '2031-01-01T12:00:00.123Z', '2031-01-01T12:00:00.123Z'],
    ['published', null, null],
  ])('a status %s with the time %s is stored and answered', async (status, time, returned) => {
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

  test('a missing time is refused together with the other errors, on create and update', async () => {
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

  test('an update by a master token without a status leaves status and time', async () => {
    const { callers } = await buildNews({}, { status: 'scheduled', publishAt: future });
    const answer = await as(app, callers.master).rest('PUT', `${path}/one`, { body: { n: 1 } });
    expect(expectEntry(answer)).toMatchObject({ _status: 'scheduled', _publish_at: future.toISOString() });
  });
});

describe('writes by public and user tokens', () => {
  const open = { createScope: 'public', updateScope: 'public', deleteScope: 'public' } as const;
  const payloads = [
    {},
    { _status: 'published', _publish_at: past.toISOString() },
    { _status: 'scheduled' },
    { _status: 'nonsense', _publish_at: 5 },
    { _status: null },
  ];
  const draft = { _status: 'draft', _publish_at: null };

  describe.each(['public', 'ada', 'user', 'user+ada'] as const)('%s, whatever is sent', (name) => {
    test('a write by such a token in a publishable channel makes a draft without a time', async () => {
      for (const body of payloads) {
        for (const status of ['published', 'scheduled'] as const) {
          const { callers, master } = await buildNews(open, { status, publishAt: past });
          const caller = as(app, callers[name]);
          expect(expectEntry(await caller.rest('POST', path, { body }), 201)).toMatchObject(draft);
          expect(expectEntry(await caller.rest('PUT', `${path}/one`, { body }))).toMatchObject(draft);
          const stored = await master.rest('GET', `${path}/one`);
          expect(expectEntry(stored)).toMatchObject(draft);
          expect(stored.headers.get('etag')).toMatch(/^"2\./);
        }
      }
    });
  });

  test('an owner can edit and delete the draft that its last update made', async () => {
    const own = { readScope: 'private', updateScope: 'private', deleteScope: 'private' } as const;
    const { callers } = await buildNews(own, { owner: 'ada', data: { title: 'One' } });
    const ada = as(app, callers.ada);
    for (const n of [1, 2, 3]) {
      const entry = expectEntry(await ada.rest('PUT', `${path}/one`, { body: { n } }));
      expect(entry).toMatchObject({ title: 'One', n, _status: 'draft', _owner: 'ada' });
      expectProblem(await ada.rest('GET', `${path}/one`), 'not_found');
    }
    expect((await ada.rest('DELETE', `${path}/one`)).status).toBe(204);
  });
});
