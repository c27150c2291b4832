// What a change of a channel's scopes, or of whether it is publishable, would do to the public's sight (docs/contract.md §10.3):
// what is told is what the change then does, and nothing is changed by asking.
import { describe, expect, test } from '@jest/globals';
import { makePublicViewers } from '../../../src/rules/callers.ts';
import { entriesOn } from '../../../src/entries/model.ts';
import { statementsWithin } from '../../../src/database/statements.ts';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();

interface Sample {
  readonly count: number;
  readonly entries: readonly { id: string; channel: string; slug: string; title_field_value: string | null }[];
}
type Difference = Record<'appear' | 'disappear', Sample>;
interface Preview {
  readonly exact: boolean;
  readonly anonymous: Difference;
  readonly customer: Difference;
}

const scopes = ['public', 'shared', 'private', 'none'] as const;
const path = '/channels/articles';

async function buildEntries({ db, channel }: Scene): Promise<void> {
  for (const entry of [
    { slug: 'plain', data: { title: 'Plain' } },
    { slug: 'draft', status: 'draft' as const },
    { slug: 'later', publishAt: new Date('2999-01-01') },
    { slug: 'granted', acl: { '*': { read: true } } },
    { slug: 'to-users', acl: { users: { read: true } } },
    { slug: 'not-users', acl: { users: { read: false } } },
    { slug: 'not-all', acl: { '*': { read: false } } },
    { slug: 'editors', acl: { 'role:editor': { read: true }, users: { read: false } } },
    { slug: 'adas', owner: 'ada' },
  ]) {
    await buildEntry(db, channel, entry);
  }
}

/** The slugs that a caller sees. */
async function seenBy(caller: Caller): Promise<string[]> {
  const { body } = await caller.rest<{ slug: string }[]>('GET', `${path}/entries?per_page=250`);
  return body.map(({ slug }) => slug);
}

const named = ({ count, entries }: Sample): [number, string[]] => [count, entries.map(({ slug }) => slug).sort()];
const missing = (from: string[], others: string[]): [number, string[]] => {
  const left = from.filter((slug) => !others.includes(slug)).sort();
  return [left.length, left];
};

describe.each(scopes)('from %s', (before) => {
  test.each(scopes.flatMap((scope) => [true, false].map((publishable) => [scope, publishable] as const)))(
    'the preview has the entries that appear and disappear with the scope %s, publishable: %s',
    async (after, publishable) => {
      const scene = await buildScene(app, { readScope: before, publishable: true });
      await buildEntries(scene);
      const { session } = await buildCustomer(scene.db, scene.site.id, { id: 'stranger' });
      const who = { anonymous: scene.visitor, customer: as(app, { token: scene.site.public, session }) };
      const seen = { anonymous: await seenBy(who.anonymous), customer: await seenBy(who.customer) };
      const query = `read=${after.toUpperCase()}&publishable=${publishable}`;
      const { status, body } = await scene.master.rest<Preview>('GET', `${path}/acl-preview?${query}`);
      expect([status, body.exact]).toEqual([200, true]);
      const change = { acl: { read: after }, publishable };
      expect((await scene.master.rest('PATCH', `${path}?confirm=articles`, { body: change })).status).toBe(200);
      for (const name of ['anonymous', 'customer'] as const) {
        const now = await seenBy(who[name]);
        expect([name, named(body[name].appear)]).toEqual([name, missing(now, seen[name])]);
        expect([name, named(body[name].disappear)]).toEqual([name, missing(seen[name], now)]);
      }
    },
  );
});

test('a preview without parameters, or of other scopes than read, has no entries, and changes nothing', async () => {
  const scene = await buildScene(app, { readScope: 'shared' });
  await buildEntries(scene);
  const read = async (): Promise<string> => (await scene.master.rest('GET', path)).text;
  const before = await read();
  for (const query of ['', '?create=public&update=public&delete=public', '?read=shared&publishable=0']) {
    const { body } = await scene.master.rest<Preview>('GET', `${path}/acl-preview${query}`);
    const none = { appear: { count: 0, entries: [] }, disappear: { count: 0, entries: [] } };
    expect(body).toEqual({ exact: true, anonymous: none, customer: none });
  }
  await scene.master.rest('GET', `${path}/acl-preview?read=none&publishable=true`);
  expect(await read()).toBe(before);
});

test('a preview names at most 10 entries of each list, newest first, as stubs', async () => {
  const scene = await buildScene(app, { readScope: 'none' });
  for (let n = 0; n < 12; n += 1) {
    await buildEntry(scene.db, scene.channel, {
      ...{ slug: `n-${n}`, data: { title: `Title ${n}` }, createdAt: new Date(1_700_000_000_000 + n) },
    });
  }
  const { body } = await scene.master.rest<Preview>('GET', `${path}/acl-preview?read=public`);
  const { count, entries } = body.anonymous.appear;
  expect([count, entries.map(({ slug }) => slug)]).toEqual([12, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2].map((n) => `n-${n}`)]);
  expect(entries[0]).toEqual({
    id: expect.any(String),
    channel: 'articles',
    slug: 'n-11',
    title_field_value: 'Title 11',
  });
});

test('a preview by a user token has the number of all entries, and stubs of visible ones alone', async () => {
  const scene = await buildScene(app, { readScope: 'none' });
  await buildEntries(scene);
  const { user } = await buildCallers(scene);
  const { body } = await as(app, user).rest<Preview>('GET', `${path}/acl-preview?read=public`);
  const all = await scene.master.rest<Preview>('GET', `${path}/acl-preview?read=public`);
  expect(body.customer.appear.count).toBe(all.body.customer.appear.count);
  expect(body.customer.appear.count).toBeGreaterThan(3);
  expect(body.customer.appear.entries).toEqual([]);
  expect(body.anonymous.appear.entries).toEqual([]);
  const closing = await buildScene(app, { readScope: 'public' });
  await buildEntries(closing);
  const other = await buildCallers(closing);
  const closed = await as(app, other.user).rest<Preview>('GET', `${path}/acl-preview?read=none`);
  expect(closed.body.anonymous.disappear.entries.map(({ slug }) => slug)).toContain('plain');
});

test('a preview of a large channel checks its newest entries, and says that it is not exact', async () => {
  const scene = await buildScene(app, { readScope: 'none' });
  const { db, channel } = scene;
  for (let n = 0; n < 4; n += 1) {
    await buildEntry(db, channel, { slug: `n-${n}`, createdAt: new Date(1_700_000_000_000 + n) });
  }
  const model = entriesOn(statementsWithin(db));
  const { anonymous } = makePublicViewers(new Date());
  const after = { ...channel, readScope: 'public' as const };
  const [enough, short] = [
    await model.findSightDifferences(channel, after, anonymous, 4),
    await model.findSightDifferences(channel, after, anonymous, 3),
  ];
  expect([enough.exact, enough.appearing, enough.disappearing]).toEqual([true, 4, 0]);
  expect([short.exact, short.appearing, short.appearingIds]).toEqual([false, 3, enough.appearingIds.slice(0, 3)]);
});

describe('what is refused', () => {
  test.each([
    ['read=everyone', /read must be one of public, shared, private, none/],
    ['create=', /create must be one of/],
    ['publishable=maybe', /publishable must be true, 1, false or 0/],
    ['as=anonymous', /"as" is not a parameter here/],
  ])('a preview with the parameters %s is refused', async (query, detail) => {
    const { master } = await buildScene(app);
    const { status, body } = await master.rest('GET', `${path}/acl-preview?${query}`);
    expect([status, body['detail']]).toEqual([400, expect.stringMatching(detail)]);
  });

  test('a preview by other tokens, and of a missing channel, is refused', async () => {
    const scene = await buildScene(app);
    const callers = await buildCallers(scene);
    for (const name of ['public', 'ada'] as const) {
      for (const channel of ['articles', 'nowhere']) {
        const { status } = await as(app, callers[name]).rest('GET', `/channels/${channel}/acl-preview?read=none`);
        expect([name, channel, status]).toEqual([name, channel, 403]);
      }
    }
    expect((await scene.master.rest('GET', '/channels/nowhere/acl-preview')).status).toBe(404);
  });
});
