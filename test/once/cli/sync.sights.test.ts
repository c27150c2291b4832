// `entryway sync` where a channel is opened, closed or deleted: a file that is followed equals a new one.
import { afterAll, describe, expect, test } from '@jest/globals';
import { as, type Credentials } from '../../support/as.ts';
import { entryway } from '../../support/process.ts';
import { buildCallers, suiteApp, type CallerName } from '../../support/scene.ts';
import { removeScratch } from '../../support/scratch.ts';
import { buildKept, createArticle, expectSynced, readSynced, type Kept } from '../../support/synced.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
afterAll(removeScratch);

/** The same file, kept by a caller. */
function keptBy(kept: Kept, credentials: Credentials): Kept {
  const { token = '', session, site } = credentials;
  const environment = {
    ENTRYWAY_URL: app.url,
    ENTRYWAY_TOKEN: token,
    ...(session !== undefined && { ENTRYWAY_SESSION: session }),
  };
  const ofSite = site === undefined ? [] : ['--site', site];
  const sync: Kept['sync'] = (...words) => entryway(['sync', '-o', kept.file, ...ofSite, ...words], environment);
  return { ...kept, master: as(app, credentials), environment, sync };
}

async function build(name: CallerName): Promise<{ kept: Kept; by: Kept }> {
  const kept = await buildKept(app);
  return { kept, by: keptBy(kept, (await buildCallers(kept))[name]) };
}

/** Expects the file to be what a new one would be, and tells how many entries it has. */
async function expectLikeNew(by: Kept): Promise<number> {
  expect((await by.sync('--once')).code).toBe(0);
  const followed = readSynced(by.file);
  expect((await by.sync('--restart')).code).toBe(0);
  expect(followed).toEqual(readSynced(by.file));
  return followed.size;
}

async function open(kept: Kept, read: string): Promise<void> {
  expect((await kept.master.rest('PATCH', '/channels/articles', { body: { acl: { read } } })).status).toBe(200);
}

describe('the file', () => {
  test.each(['ada', 'user'] as const)(
    'sync of %s, with the channel named: the file follows the channel’s scope',
    async (name) => {
      const { kept, by } = await build(name);
      for (const scope of ['none', 'public', 'private', 'none']) {
        await open(kept, scope);
        await expectSynced(by, ['articles'], ['--channel', 'articles']);
      }
    },
  );

  test.each(['public', 'user+ada'] as const)(
    'sync of %s, of all channels: the file has nothing of a channel that is no longer listed',
    async (name) => {
      const { kept, by } = await build(name);
      await createArticle(kept.master, { title: 'Granted', _status: 'published', _acl: { '*': { read: true } } });
      const isListed = name !== 'public';
      expect(await expectLikeNew(by)).toBe(3);
      await open(kept, 'none');
      expect(await expectLikeNew(by)).toBe(isListed ? 1 : 0);
      await createArticle(kept.master, { title: 'Granted, too', _status: 'published', _acl: { '*': { read: true } } });
      expect(await expectLikeNew(by)).toBe(isListed ? 2 : 0);
      await open(kept, 'public');
      expect(await expectLikeNew(by)).toBe(4);
    },
  );

  test.each(['public', 'user'] as const)(
    'sync of %s: the file has nothing of a deleted channel, and the entries of a new one',
    async (name) => {
      const { kept, by } = await build(name);
      await kept.master.rest('POST', '/channels', { body: { id: 'films', acl: { read: 'public' } } });
      const add = (): Promise<unknown> =>
        kept.master.rest('POST', '/channels/films/entries', { body: { title: 'Dune' } });
      await add();
      expect(await expectLikeNew(by)).toBe(3);
      await kept.master.rest('DELETE', '/channels/films?confirm=films');
      expect(await expectLikeNew(by)).toBe(2);
      await kept.master.rest('POST', '/channels', { body: { id: 'films', acl: { read: 'public' } } });
      await add();
      expect(await expectLikeNew(by)).toBe(3);
    },
  );
});
