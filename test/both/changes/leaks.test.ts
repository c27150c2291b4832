// What a reader of the feed learns of entries that it could never see: nothing, by content, by counts, or by cursors.
import { describe, expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { FeedReader, readFeed, type ChangesPage } from '../../support/feed.ts';
import { buildCallers, buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const path = '/channels/articles/entries';

/** Two sites alike: in one of them there is, and happens, what the reader never sees. */
async function twins(): Promise<{ plain: Scene; busy: Scene; hide: () => Promise<void> }> {
  const [plain, busy] = [await build(), await build()];
  const hide = async (): Promise<void> => {
    const { master } = busy;
    const hidden = {
      title: 'secret',
      _status: 'published',
      _acl: { '*': { read: false }, 'role:editor': { read: true } },
    };
    for (const body of [hidden, { title: 'secret' }]) {
      const { id } = (await master.rest<{ id: string }>('POST', path, { body })).body;
      await master.rest('PATCH', `${path}/${id}`, { body: { title: 'more secret' } });
      await master.rest('DELETE', `${path}/${id}`);
    }
    await master.rest('PATCH', '/channels/articles', { body: { name: 'Other' } });
  };
  return { plain, busy, hide };
}

async function build(): Promise<Scene> {
  const scene = await buildScene(app, { publishable: true });
  await buildEntry(scene.db, scene.channel, { slug: 'open' });
  return scene;
}

/** A page without what differs between any two sites: ids, cursors and times. */
const shape = ({ changes, more }: ChangesPage): unknown => ({
  changes: changes.map(({ type, version }) => [type, version]),
  more,
});

describe('what happens out of sight', () => {
  test.each(['', '&limit=1', '&types=entry.removed', '&types=entry.updated', '&include=entry'])(
    'hidden changes leave the pages of %j unchanged',
    async (query) => {
      const { plain, busy, hide } = await twins();
      await hide();
      for (const scene of [plain, busy]) await scene.master.rest('PATCH', `${path}/open`, { body: { title: 'seen' } });
      await hide();
      let [one, other] = [await readFeed(plain.visitor, `?${query}`), await readFeed(busy.visitor, `?${query}`)];
      for (let pages = 0; pages < 5; pages += 1) {
        expect(shape(other)).toEqual(shape(one));
        [one, other] = [
          await readFeed(plain.visitor, `?after=${one.cursor}${query}`),
          await readFeed(busy.visitor, `?after=${other.cursor}${query}`),
        ];
      }
    },
  );

  test('hidden changes do not move any cursor observably', async () => {
    const { busy, hide } = await twins();
    const cursors: string[] = [];
    for (let turn = 0; turn < 3; turn += 1) {
      const { cursor } = await readFeed(busy.visitor, '?after=now');
      const { cursor: again } = await readFeed(busy.visitor, `?after=${cursor}`);
      cursors.push(cursor, again);
      await hide();
    }
    expect(new Set(cursors).size).toBe(cursors.length);
    expect(new Set(cursors.map((cursor) => cursor.length)).size).toBe(1);
    // Neither do cursors that were made one after the other share a beginning or an end.
    const ends = cursors.flatMap((cursor) => [cursor.slice(0, 8), cursor.slice(-8)]);
    expect(new Set(ends).size).toBe(ends.length);
  });

  test('changes of a hidden channel are in no feed of its reader', async () => {
    const { busy, hide } = await twins();
    await buildChannel(busy.db, busy.site.id, { id: 'closed', readScope: 'none' });
    await hide();
    const of = async (caller: Caller, id: string): Promise<number> =>
      (await caller.rest('GET', `/channels/${id}/changes`)).status;
    expect([await of(busy.visitor, 'articles'), await of(busy.master, 'closed')]).toEqual([200, 200]);
    expect(await of(busy.visitor, 'nowhere')).toBe(404);
    // A channel itself is known to all tokens of its site; what is in it is not.
    const page = (await busy.visitor.rest<ChangesPage>('GET', '/channels/closed/changes')).body;
    expect(page.changes).toEqual([]);
  });
});

describe('a cursor', () => {
  test('one reader’s cursor shows another reader only what that one may see', async () => {
    const { busy, hide } = await twins();
    const callers = await buildCallers(busy);
    const { cursor } = await readFeed(busy.master, '?after=now');
    const early = (await readFeed(busy.master, '?limit=1')).changes[0]?.cursor ?? '';
    await hide();
    for (const after of [cursor, early]) {
      const types = (await readFeed(busy.visitor, `?after=${after}&types=entry.updated,entry.removed`)).changes;
      expect(types).toEqual([]);
    }
    const ada = await readFeed(as(app, callers.ada), `?after=${cursor}`);
    expect(ada.changes.map(({ type }) => type)).toEqual([
      ...['entry.created', 'entry.published', 'entry.updated', 'entry.removed'],
    ]);
    const { cursor: adas } = ada;
    await hide();
    expect((await readFeed(busy.visitor, `?after=${adas}`)).changes).toEqual([]);
    expect((await readFeed(busy.master, `?after=${adas}&types=entry.deleted`)).changes).toHaveLength(2);
  });

  test('a cursor of another site, cut or altered, is refused', async () => {
    const { plain, busy } = await twins();
    const { cursor } = await readFeed(plain.visitor);
    const changed = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`;
    for (const [caller, after] of [
      ...([[busy.visitor, cursor]] as const),
      ...[cursor.slice(1), `${cursor}A`, changed].map((each) => [plain.visitor, each] as const),
    ]) {
      expectProblem(await caller.rest('GET', `/changes?after=${after}`), 'bad_request');
    }
  });
});

test('lost and new roles apply to earlier changes, too', async () => {
  const { busy, hide } = await twins();
  const callers = await buildCallers(busy);
  await hide();
  const [ada, bob] = [new FeedReader(), new FeedReader()];
  expect((await ada.catchUp(as(app, callers.ada))).length).toBeGreaterThan(
    (await bob.catchUp(as(app, callers.bob))).length,
  );
  const input = (id: string, roles: string[]) => busy.master.rest('PATCH', `/customers/${id}`, { body: { roles } });
  expect([(await input('ada', [])).status, (await input('bob', ['editor'])).status]).toEqual([200, 200]);
  const [newAda, newBob] = [new FeedReader(), new FeedReader()];
  await newAda.catchUp(as(app, callers.ada));
  await newBob.catchUp(as(app, callers.bob));
  expect(newAda.seen).toEqual(bob.seen);
  expect(newBob.seen).toEqual(ada.seen);
});
