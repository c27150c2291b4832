// Moments of publication that nobody has recorded yet (docs/contract.md §9.1): what follows at once, a write of the entry or a change of its
// channel, is told after them. The service does not look for publications that are due here: a test records them itself.
import { describe, expect, jest, test } from '@jest/globals';
import { LiveChanges } from '../../../src/entries/feed/liveChanges.ts';
import { withEntries, type EntryModel } from '../../../src/entries/model.ts';
import type { Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { FeedReader } from '../../support/feed.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

jest.spyOn(LiveChanges.prototype, 'poll').mockResolvedValue();
const app = await suiteApp({ RATE_LIMIT: 'off' });
const entry: EntryModel = withEntries(app.database.prisma, app.database.statements).entry;
const path = '/channels/articles/entries';
const later = new Date(Date.UTC(2990, 0, 1));

type Readers = Readonly<Record<'master' | 'visitor', FeedReader>>;

interface Due extends Scene {
  readonly id: string;
  /** When the entry was published. */
  readonly moment: string;
  readonly readers: Readers;
}

/** An entry that is scheduled. */
async function schedule(scene: Scene): Promise<string> {
  return (await buildEntry(scene.db, scene.channel, { status: 'scheduled', publishAt: later })).id;
}

/** Lets the time of an entry come. @returns the time, as the feed tells it */
async function publish({ db, site, visitor }: Scene, id: string): Promise<string> {
  const [row] = await db.$queryRaw<{ at: Date }[]>`
    UPDATE entries SET publish_at = now() WHERE site_id = ${site.id} AND id = ${id}::uuid RETURNING publish_at AS at`;
  expect((await visitor.rest('GET', `${path}/${id}`)).status).toBe(200);
  return row?.at.toISOString() ?? '';
}

/** A scene with an entry whose time has come, and readers who have read all before that. */
async function buildDue(publishable: boolean): Promise<Due> {
  const scene = await buildScene(app, { publishable, readScope: 'public' });
  const id = await schedule(scene);
  const readers = await readAll(scene);
  return { ...scene, id, moment: await publish(scene, id), readers };
}

async function readAll(scene: Scene): Promise<Readers> {
  const readers = { master: new FeedReader(), visitor: new FeedReader() };
  await Promise.all([readers.master.catchUp(scene.master), readers.visitor.catchUp(scene.visitor)]);
  return readers;
}

/** What a reader is told of an entry. */
async function told(reader: FeedReader, caller: Caller, of: string): Promise<string[]> {
  const changes = await reader.catchUp(caller);
  return changes.filter(({ id }) => id === of).map(({ type, version }) => `${type} ${version ?? '-'}`);
}

async function settings({ master }: Scene, body: Record<string, unknown>): Promise<void> {
  expect((await master.rest('PATCH', '/channels/articles?confirm=articles', { body })).status).toBe(200);
}

describe('a write that follows the publication at once is told after it', () => {
  test.each([
    ['to a draft', { _status: 'draft' }],
    ['to a later time', { _publish_at: later.toISOString() }],
  ])(
    'a write right after the publication, %s: published in its first version, updated and unpublished in the next',
    async (_what, body) => {
      const due = await buildDue(true);
      expect((await due.master.rest('PATCH', `${path}/${due.id}`, { body })).status).toBe(200);
      const all = await due.readers.master.catchUp(due.master);
      expect(all.map(({ type, version, at }) => [type, version, type === 'entry.published' ? at : ''])).toEqual([
        ['entry.published', 1, due.moment],
        ['entry.updated', 2, ''],
        ['entry.unpublished', 2, ''],
      ]);
      expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(['entry.published 1', 'entry.removed -']);
    },
  );

  test('a write of the title right after the publication: published in its first version, and updated', async () => {
    const due = await buildDue(true);
    await due.master.rest('PATCH', `${path}/${due.id}`, { body: { title: 'New' } });
    const expected = ['entry.published 1', 'entry.updated 2'];
    expect(await told(due.readers.master, due.master, due.id)).toEqual(expected);
    expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(expected);
    await entry.announceDue(new Date(), 100);
    expect(await told(due.readers.master, due.master, due.id)).toEqual([]);
  });

  test('a deletion right after the publication: published, unpublished, deleted', async () => {
    const due = await buildDue(true);
    await due.master.rest('DELETE', `${path}/${due.id}`);
    expect(await told(due.readers.master, due.master, due.id)).toEqual([
      ...['entry.published 1', 'entry.unpublished 1', 'entry.deleted 1'],
    ]);
    expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(['entry.published 1', 'entry.removed -']);
  });

  test('a write in a channel that is not publishable reports no publication', async () => {
    const due = await buildDue(false);
    await due.master.rest('PATCH', `${path}/${due.id}`, { body: { _status: 'draft' } });
    await due.master.rest('DELETE', `${path}/${due.id}`);
    expect(await told(due.readers.master, due.master, due.id)).toEqual(['entry.updated 2', 'entry.deleted 2']);
  });
});

describe('a change of the channel that follows the publication at once', () => {
  test('publishing is turned off right after the publication: the publication is reported', async () => {
    const due = await buildDue(true);
    await settings(due, { publishable: false });
    await entry.announceDue(new Date(), 100);
    expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(['entry.published 1']);
    expect(await told(due.readers.master, due.master, due.id)).toEqual(['entry.published 1']);
  });

  test('publishing is turned on: entries that the public saw all the time are not reported as published', async () => {
    const due = await buildDue(false);
    await settings(due, { publishable: true });
    await entry.announceDue(new Date(), 100);
    await due.master.rest('PATCH', `${path}/${due.id}`, { body: { title: 'New' } });
    expect(await told(due.readers.master, due.master, due.id)).toEqual(['entry.updated 2']);
    expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(['entry.updated 2']);
  });

  test('the scope is closed right after the publication: the publication is reported, and the removal', async () => {
    const due = await buildDue(true);
    await settings(due, { acl: { read: 'none' } });
    await entry.announceDue(new Date(), 100);
    expect(await told(due.readers.visitor, due.visitor, due.id)).toEqual(['entry.published 1', 'entry.removed -']);
    expect(await told(due.readers.master, due.master, due.id)).toEqual(['entry.published 1']);
  });
});

describe('a change of the channel that is still being recorded when the time of an entry comes', () => {
  /** Changes a channel's settings, and leaves it to be recorded. */
  async function change({ db, channel }: Scene, data: object): Promise<void> {
    const { siteId, uid } = channel;
    await db.channel.update({ where: { siteId_uid: { siteId, uid } }, data: { ...data, version: { increment: 1 } } });
  }

  /** Schedules an entry, closes the scope of its channel, and lets the time of the entry come. */
  async function publishBehindClosedScope() {
    const scene = await buildScene(app, { publishable: true, readScope: 'public' });
    const id = await schedule(scene);
    const readers = await readAll(scene);
    await change(scene, { readScope: 'none' });
    await scene.db
      .$executeRaw`UPDATE entries SET publish_at = now() WHERE site_id = ${scene.site.id} AND id = ${id}::uuid`;
    return { scene, id, readers };
  }

  /** What comes after the time: the record of it, or a write of the entry. */
  const ends: [what: string, end: (scene: Scene, id: string) => Promise<unknown>][] = [
    ['its publication is recorded', () => entry.announceDue(new Date(), 100)],
    ['it is updated', ({ master }, id) => master.rest('PATCH', `${path}/${id}`, { body: { title: 'New' } })],
    ['it is deleted', ({ master }, id) => master.rest('DELETE', `${path}/${id}`)],
  ];

  test.each(ends)(
    'the scope was closed before the publication: the public hears nothing when %s',
    async (_what, end) => {
      const { scene, id, readers } = await publishBehindClosedScope();
      await end(scene, id);
      expect(await told(readers.visitor, scene.visitor, id)).toEqual([]);
      expect((await told(readers.master, scene.master, id))[0]).toBe('entry.published 1');
    },
  );

  test.each(ends)(
    'the scope was closed before the publication, and opened for customers after: the public hears nothing when %s',
    async (_what, end) => {
      const { scene, id, readers } = await publishBehindClosedScope();
      await change(scene, { readScope: 'shared' });
      await end(scene, id);
      expect(await told(readers.visitor, scene.visitor, id)).toEqual([]);
      expect((await told(readers.master, scene.master, id))[0]).toBe('entry.published 1');
    },
  );

  test.each(ends)(
    'publishing was turned off before the publication: the public is told once when %s',
    async (_what, end) => {
      const scene = await buildScene(app, { publishable: true, readScope: 'public' });
      const id = await schedule(scene);
      const readers = await readAll(scene);
      await change(scene, { publishable: false });
      await publish(scene, id);
      await end(scene, id);
      const begun = (await told(readers.visitor, scene.visitor, id)).filter((type) =>
        type.startsWith('entry.published'),
      );
      expect(begun).toEqual(['entry.published 1']);
      expect((await told(readers.master, scene.master, id))[0]).toBe('entry.published 1');
    },
  );
});
