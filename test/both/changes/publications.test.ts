// Publications by time (docs/contract.md §9): each is recorded once, in the order of the times, beside whatever else is written.
import { describe, expect, test } from '@jest/globals';
import { withEntries, type EntryModel } from '../../../src/entries/model.ts';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { FeedReader, type Change } from '../../support/feed.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const entry: EntryModel = withEntries(app.database.prisma, app.database.statements).entry;
const path = '/channels/articles/entries';

/** Times that the service itself does not come near. */
const start = Date.UTC(2990, 0, 1);
const at = (second: number): Date => new Date(start + 1_000 * second);

/** Records all that is due at a time, as a process does. */
async function announce(now: Date, limit = 500): Promise<void> {
  let busy: readonly string[] = [];
  for (let isAll = false; !isAll;) ({ isAll, busy } = await entry.announceDue(now, limit, busy));
}

const isPublication = ({ type }: Change): boolean => type === 'entry.published' || type === 'entry.unpublished';

async function publications({ master }: Scene): Promise<Change[]> {
  const reader = new FeedReader();
  return (await reader.catchUp(master)).filter(isPublication);
}

describe('what is due', () => {
  test('publications after a standstill are recorded once by several processes, in the order of their times, across channels', async () => {
    const scene = await buildScene(app, { publishable: true });
    const notes = await buildChannel(scene.db, scene.site.id, { id: 'notes', publishable: true });
    const expected: string[] = [];
    for (let second = 0; second < 40; second += 1) {
      const channel = second % 3 === 0 ? scene.channel : notes;
      const { id } = await buildEntry(scene.db, channel, { status: 'scheduled', publishAt: at(second) });
      expected.push(`${id} ${at(second).toISOString()}`);
    }
    await announce(at(9));
    expect((await publications(scene)).map((each) => `${each.id} ${each.at}`)).toEqual(expected.slice(0, 10));
    await Promise.all([7, 500, 3, 7].map((limit) => announce(at(3_600), limit)));
    await announce(at(3_600));
    expect((await publications(scene)).map((each) => `${each.id} ${each.at}`)).toEqual(expected);
  });

  test('publications in a channel that is not publishable are recorded as soon as it becomes publishable', async () => {
    const scene = await buildScene(app);
    const { id } = await buildEntry(scene.db, scene.channel, { status: 'scheduled', publishAt: at(1) });
    await announce(at(2));
    expect(await publications(scene)).toEqual([]);
    const hidden = await buildEntry(scene.db, scene.channel, { status: 'scheduled', publishAt: at(3) });
    const reader = new FeedReader();
    await reader.catchUp(scene.visitor);
    await scene.master.rest('PATCH', '/channels/articles', { body: { publishable: true } });
    expect((await publications(scene)).map((each) => [each.type, each.id])).toEqual([['entry.unpublished', hidden.id]]);
    expect((await reader.catchUp(scene.visitor)).map((each) => [each.type, each.id])).toEqual([
      ['entry.removed', hidden.id],
    ]);
    await announce(at(4));
    expect((await reader.catchUp(scene.visitor)).map((each) => [each.type, each.id])).toEqual([
      ['entry.published', hidden.id],
    ]);
    expect(id).not.toBe(hidden.id);
  });

  test('an entry that a reader saw before its publication was recorded is `removed` when it is deleted or unpublished', async () => {
    const scene = await buildScene(app, { publishable: true });
    for (const way of ['DELETE', 'PATCH']) {
      const { id } = await buildEntry(scene.db, scene.channel, { status: 'scheduled', publishAt: at(1) });
      const reader = new FeedReader();
      await reader.catchUp(scene.visitor);
      await scene.db
        .$executeRaw`UPDATE entries SET publish_at = now() WHERE site_id = ${scene.site.id} AND id = ${id}::uuid`;
      expect((await scene.visitor.rest('GET', `${path}/${id}`)).status).toBe(200);
      const body = way === 'PATCH' ? { body: { _status: 'draft' } } : {};
      expect((await scene.master.rest(way, `${path}/${id}`, body)).status).toBeLessThan(300);
      const told = await reader.catchUp(scene.visitor);
      expect([told.at(-1)?.type, told.at(-1)?.id]).toEqual(['entry.removed', id]);
    }
  });
});

describe('a write at the same moment', () => {
  const count = 12;
  async function raced(
    write: (scene: Scene, id: string) => Promise<unknown>,
  ): Promise<{ scene: Scene; ids: string[] }> {
    const scene = await buildScene(app, { publishable: true });
    const ids: string[] = [];
    for (let second = 0; second < count; second += 1) {
      ids.push((await buildEntry(scene.db, scene.channel, { status: 'scheduled', publishAt: at(second) })).id);
    }
    await Promise.all([
      ...ids.map((id) => write(scene, id)),
      ...Array.from({ length: 4 }, (_, round) => announce(at(3 * round))),
    ]);
    await announce(at(count));
    return { scene, ids };
  }

  test('an update at the time of publication: published once, whichever comes first', async () => {
    const { scene, ids } = await raced(async ({ master }, id) => {
      expect((await master.rest('PATCH', `${path}/${id}`, { body: { title: 'x' } })).status).toBe(200);
    });
    const found = await publications(scene);
    expect(found.map((each) => each.type)).toEqual(ids.map(() => 'entry.published'));
    expect(new Set(found.map(({ id }) => id))).toEqual(new Set(ids));
  });

  test('a delete at the time of publication: published and unpublished, or neither', async () => {
    const { scene, ids } = await raced(({ master }, id) => master.rest('DELETE', `${path}/${id}`));
    const { changes } = (await scene.master.rest<{ changes: Change[] }>('GET', '/changes?limit=1000')).body;
    for (const id of ids) {
      const types = changes.filter((change) => change.id === id).map(({ type }) => type.slice('entry.'.length));
      expect(['created deleted', 'created published unpublished deleted']).toContain(types.join(' '));
    }
  });

  test('a change of the scope at the time of publication: a reader ends with the entries that it may see', async () => {
    const scopes = ['none', 'public', 'shared', 'public', 'none', 'public'];
    const { scene, ids } = await raced(async ({ master }) => {
      const body = { acl: { read: scopes.pop() ?? 'public' } };
      expect((await master.rest('PATCH', '/channels/articles', { body })).status).toBe(200);
    });
    await scene.master.rest('PATCH', '/channels/articles', { body: { acl: { read: 'public' } } });
    const held = new Set<string | null>();
    for (const { type, id } of await new FeedReader().catchUp(scene.visitor)) {
      if (type === 'entry.removed') held.delete(id);
      else held.add(id);
    }
    expect(held).toEqual(new Set(ids));
  });
});
