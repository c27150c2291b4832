// How much is done for readers of streams who see the same (docs/contract.md §9.2): statements are counted, which do not grow with
// the number of readers.
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { openEvents, type EventReader } from '../../support/eventStream.ts';
import { expectEntry } from '../../support/expect.ts';
import { buildScene, suiteWatchedApp } from '../../support/scene.ts';

const app = await suiteWatchedApp();

const opened: EventReader[] = [];
afterEach(() => {
  for (const reader of opened.splice(0)) reader.close();
});

const hidden = { title: 'Hidden', _acl: { '*': { read: false } } };
const list = '/channels/articles/entries';

async function write(master: Caller, body: object): Promise<string> {
  return expectEntry(await master.rest('POST', list, { body }), 201).id;
}

/** Waits until all readers have got so many events. */
async function awaitEvents(readers: readonly EventReader[], count: number): Promise<void> {
  const has = ({ blocks }: EventReader): boolean => blocks.filter(({ data }) => data !== undefined).length >= count;
  while (!readers.every(has)) await sleep(10);
}

/** The statements that read the feed, and those that read entries by their ids. */
function countReads(): { looks: number; entries: number } {
  const asked = app.statements();
  return {
    looks: asked.filter((text) => text.includes('FROM change_feeds f LEFT JOIN')).length,
    entries: asked.filter((text) => text.includes('FROM entries e') && text.includes('e.id = ANY')).length,
  };
}

const query = 'subscription { changes(after: "now") { cursor entry { slug fields } } }';
const ways: [what: string, path: string, body: object | undefined][] = [
  ['streams', '/changes?after=now', undefined],
  ['streams with entries', '/changes?after=now&include=entry', undefined],
  ['subscriptions', '/graphql/stream', { query }],
];

test.each(ways)('a write takes as many reads for 60 equal %s as for one', async (_what, path, body) => {
  const scene = await buildScene(app, { readScope: 'public' });
  const token = scene.site.public;
  const open = (): Promise<EventReader> => openEvents(app, path, { token }, {}, body ? 'POST' : 'GET', body);
  const shown = { title: 'Shown' };
  const measure = async (readers: number): Promise<{ looks: number; entries: number }> => {
    while (opened.length < readers) opened.push(await open());
    // All are where the others are, once they have got something together.
    const had = opened.map(({ blocks }) => blocks.filter(({ data }) => data !== undefined).length);
    await write(scene.master, shown);
    for (const [at, reader] of opened.entries()) await awaitEvents([reader], (had[at] ?? 0) + 1);
    const before = (had[0] ?? 0) + 1;
    app.statements();
    for (let at = 1; at <= 5; at += 1) {
      await write(scene.master, hidden);
      await write(scene.master, shown);
      await awaitEvents(opened.slice(0, 1), before + at);
    }
    for (const [at, reader] of opened.entries()) await awaitEvents([reader], (had[at] ?? 0) + 6);
    return countReads();
  };
  const alone = await measure(1);
  const together = await measure(60);
  // Each write may be looked for by itself, and once more by readers who were on their way.
  for (const { looks, entries } of [alone, together]) {
    expect(looks).toBeGreaterThanOrEqual(5);
    expect(looks).toBeLessThanOrEqual(25);
    expect(entries).toBeLessThanOrEqual(25);
    if (path !== '/changes?after=now') expect(entries).toBeGreaterThanOrEqual(5);
  }
});

test('a hidden write sends nothing to 60 streams, and does not shift their comments', async () => {
  const scene = await buildScene(app, { readScope: 'public' });
  const token = scene.site.public;
  for (let at = 0; at < 60; at += 1) opened.push(await openEvents(app, '/changes?after=now', { token }));
  const blocks = (): number => opened.reduce((sum, reader) => sum + reader.blocks.length, 0);
  while (blocks() < 60) await sleep(10);
  app.statements();
  let looks = 0;
  for (let at = 0; at < 5; at += 1) {
    await write(scene.master, hidden);
    // It is looked for, and that is all.
    for (const before = looks; looks === before; looks += countReads().looks) await sleep(10);
  }
  expect(blocks()).toBe(60);
  expect(looks).toBeLessThanOrEqual(15);
});
