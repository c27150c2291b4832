// `entryway sync` where a token sees single entries of channels that are not listed to it, which others refer to.
import { afterAll, describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { expectEntry } from '../../support/expect.ts';
import { entryway } from '../../support/process.ts';
import { buildCallers, suiteApp } from '../../support/scene.ts';
import { removeScratch } from '../../support/scratch.ts';
import { buildKept, expectSynced, readSynced, type Kept } from '../../support/synced.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
afterAll(removeScratch);

describe('the file', () => {
  test('sync follows references from single visible entries of an unlisted channel', async () => {
    const kept = await buildKept(app);
    const { ada } = await buildCallers(kept);
    const people = '/channels/people/entries';
    await kept.master.rest('POST', '/channels', { body: { id: 'people', acl: { read: 'public' } } });
    const [grace, joan] = [
      expectEntry(await kept.master.rest('POST', people, { body: { title: 'Grace' } }), 201).id,
      expectEntry(await kept.master.rest('POST', people, { body: { title: 'Joan' } }), 201).id,
    ];
    const fields = [{ name: 'links', type: 'references', channel: 'people' }];
    await kept.master.rest('POST', '/channels', { body: { id: 'notes', acl: { read: 'none' }, fields } });
    const body = { links: [grace, joan], _acl: { ada: { read: true } } };
    const note = expectEntry(await kept.master.rest('POST', '/channels/notes/entries', { body }), 201).id;
    const environment = { ...kept.environment, ENTRYWAY_TOKEN: kept.site.public, ENTRYWAY_SESSION: ada.session ?? '' };
    const ofAda: Kept = {
      ...kept,
      master: as(app, ada),
      sync: (...words) => entryway(['sync', '-o', kept.file, ...words], environment),
    };
    const channels = ['notes', 'people'];
    const words = ['--channel', channels.join(',')];
    await expectSynced(ofAda, channels, words);
    await kept.master.rest('PATCH', `${people}/${joan}`, { body: { title: 'Joan Clarke' } });
    await expectSynced(ofAda, channels, words);
    expect(JSON.stringify(readSynced(kept.file).get(note))).toContain('Joan Clarke');
    await kept.master.rest('DELETE', `${people}/${grace}`);
    await expectSynced(ofAda, channels, words);
    expect(readSynced(kept.file).get(note)).toMatchObject({ links: [{ id: joan }] });
  });

  test('sync follows references to single visible entries of an unlisted channel', async () => {
    const kept = await buildKept(app);
    const people = '/channels/people/entries';
    await kept.master.rest('POST', '/channels', { body: { id: 'people', acl: { read: 'none' } } });
    const open = { _acl: { '*': { read: true } } };
    const [grace, joan] = [
      expectEntry(await kept.master.rest('POST', people, { body: { title: 'Grace', ...open } }), 201).id,
      expectEntry(await kept.master.rest('POST', people, { body: { title: 'Joan', ...open } }), 201).id,
    ];
    const fields = [{ name: 'links', type: 'references', channel: 'people' }];
    await kept.master.rest('POST', '/channels', { body: { id: 'notes', acl: { read: 'public' }, fields } });
    const note = expectEntry(
      await kept.master.rest('POST', '/channels/notes/entries', { body: { links: [grace, joan] } }),
      201,
    ).id;
    const environment = { ...kept.environment, ENTRYWAY_TOKEN: kept.site.public };
    const ofPublic: Kept = {
      ...kept,
      master: kept.visitor,
      sync: (...words) => entryway(['sync', '-o', kept.file, ...words], environment),
    };
    const channels = ['notes', 'people'];
    const words = ['--channel', channels.join(',')];
    await expectSynced(ofPublic, channels, words);
    expect(readSynced(kept.file).get(note)).toMatchObject({ links: [{ id: grace }, { id: joan }] });
    // The token is not told which channel the field refers to: its entries are found all the same.
    await kept.master.rest('PATCH', `${people}/${grace}`, { body: { _acl: {} } });
    await expectSynced(ofPublic, channels, words);
    expect(readSynced(kept.file).get(note)).toMatchObject({ links: [{ id: joan }] });
    await kept.master.rest('PATCH', `${people}/${grace}`, { body: open });
    await expectSynced(ofPublic, channels, words);
    expect(readSynced(kept.file).get(note)).toMatchObject({ links: [{ id: grace }, { id: joan }] });
    await kept.master.rest('PATCH', `${people}/${joan}`, { body: { title: 'Joan Clarke' } });
    await expectSynced(ofPublic, channels, words);
    expect(JSON.stringify(readSynced(kept.file).get(note))).toContain('Joan Clarke');
  });
});
