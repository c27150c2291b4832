// GET /channels/{channel_id}/entries/{entry_id}, and by which names each method finds an entry (docs/contract.md §1, §5).
import { describe, expect, test } from '@jest/globals';
import type { EntryRow } from '../../../src/entries/row.ts';
import type { Caller } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';
import { expectEntry, expectProblem, tellingOf } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

describe('allowed', () => {
  test('an entry is fetched by its id in either case, its short id and its slug, with equal answers', async () => {
    const { db, channel, visitor } = await buildScene(app);
    const createdAt = new Date('2021-02-03T04:05:06.007Z');
    const { id, shortId } = await buildEntry(db, channel, { slug: 'one', createdAt, data: { title: 'One', n: 1 } });
    const answer = await visitor.rest('GET', '/channels/articles/entries/one');
    expect(expectEntry(answer)).toEqual({
      id,
      url: `${app.url}/channels/articles/entries/${id}`,
      short_id: shortId,
      slug: 'one',
      channel: 'articles',
      created_at: '2021-02-03T04:05:06.007Z',
      updated_at: '2021-02-03T04:05:06.007Z',
      title_field_value: 'One',
      _status: 'published',
      _publish_at: null,
      title: 'One',
      n: 1,
    });
    for (const name of [id, id.toUpperCase(), shortId]) {
      const same = await visitor.rest('GET', `/channels/articles/entries/${name}`);
      expect(tellingOf(same)).toEqual(tellingOf(answer));
    }
  });
});

describe.each(['GET', 'PUT', 'PATCH', 'DELETE'])('%s', (method) => {
  const ask = (caller: Caller, address: string) =>
    caller.rest(method, `/channels/${address}`, method.startsWith('P') ? { body: { n: 1 } } : {});

  test('the method finds an entry by its id in either case, its short id and its slug', async () => {
    const { db, channel, master } = await buildScene(app);
    for (const spell of [
      ({ id }: EntryRow) => id,
      ({ id }: EntryRow) => id.toUpperCase(),
      ({ shortId }: EntryRow) => shortId,
      ({ slug }: EntryRow) => slug,
    ]) {
      const entry = await buildEntry(db, channel);
      expect((await ask(master, `articles/entries/${spell(entry)}`)).status).toBe(method === 'DELETE' ? 204 : 200);
    }
  });

  test('the method is 404 by each name of an entry of another channel or site, and by a short id in another case', async () => {
    const { db, site, channel, master } = await buildScene(app);
    const elsewhere = await buildEntry(db, await buildChannel(db, site.id, { id: 'pages' }), { slug: 'one' });
    const foreign = await buildScene(app);
    const theirs = await buildEntry(db, foreign.channel, { slug: 'two' });
    const { shortId } = await buildEntry(db, channel, { slug: 'three' });
    const names = [elsewhere, theirs].flatMap((entry) => [entry.id, entry.shortId, entry.slug]);
    for (const name of [...names, shortId.toLowerCase(), 'Not%20a%20Name', '__proto__']) {
      expectProblem(await ask(master, `articles/entries/${name}`), 'not_found');
    }
    expect(expectEntry(await master.rest('GET', '/channels/pages/entries/one'))).not.toHaveProperty('n');
    expect(expectEntry(await foreign.master.rest('GET', '/channels/articles/entries/two'))).not.toHaveProperty('n');
  });

  test('the method is 404 in a missing channel for each token', async () => {
    const { db, master, visitor } = await buildScene(app);
    const other = await buildSite(db);
    await buildEntry(db, await buildChannel(db, other.id, { id: 'theirs' }), { slug: 'one' });
    for (const caller of [master, visitor]) {
      for (const channel of ['theirs', 'nowhere', 'No-Handle', 'x'.repeat(64), '__proto__']) {
        expectProblem(await ask(caller, `${channel}/entries/one`), 'not_found');
      }
    }
  });
});
