// Lists of what was granted in a channel whose scope shows nothing, with as many entries as the list's statement begins with, and
// with one more (src/entries/sql/granted.ts). How many there are is remembered for a while; which ones is not.
import { expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

test('a list has all of 1,000 and of 1,001 entries that are granted to a role, and those granted later', async () => {
  const { db, site, channel, master } = await buildScene(app, { readScope: 'none' });
  const signIn = async (): Promise<Caller> => {
    const { session } = await buildCustomer(db, site.id, { roles: ['editor'] });
    return as(app, { token: site.public, session });
  };
  const acl = { 'role:editor': { read: true } };
  const list = async (editor: Caller, sort: string): Promise<unknown[]> => {
    const path = `/channels/articles/entries?per_page=2&sort=${sort}`;
    const { body, headers } = await editor.rest<{ slug: string }[]>('GET', path, {
      headers: { Prefer: 'count=exact' },
    });
    return [...body.map(({ slug }) => slug), Number(headers.get('x-total-count'))];
  };
  for (let at = 0; at < 1_000; at += 1) await buildEntry(db, channel, { slug: `granted-${at}`, acl });
  await buildEntry(db, channel, { slug: 'hidden' });

  const [seesFew, seesMany] = [await signIn(), await signIn()];
  expect(await list(seesFew, 'created_at')).toEqual(['granted-0', 'granted-1', 1_000]);
  await buildEntry(db, channel, { slug: 'granted-1000', acl });
  expect(await list(seesMany, 'created_at')).toEqual(['granted-0', 'granted-1', 1_001]);

  const path = '/channels/articles/entries/granted-0';
  expect(await master.rest('PATCH', path, { body: { _acl: {} } })).toMatchObject({ status: 200 });
  const both = [seesFew, seesMany];
  for (const editor of both) expect(await list(editor, 'created_at')).toEqual(['granted-1', 'granted-2', 1_000]);
  for (const slug of ['late-0', 'late-1', 'late-2']) {
    const body = { slug, _acl: acl };
    expect(await master.rest('POST', '/channels/articles/entries', { body })).toMatchObject({ status: 201 });
  }
  for (const editor of both) expect(await list(editor, '-created_at')).toEqual(['late-2', 'late-1', 1_003]);
});
