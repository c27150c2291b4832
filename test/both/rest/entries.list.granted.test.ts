// Lists of what was granted in a channel whose scope shows nothing, with as many entries as the list's statement begins with, and
// with one more (src/entries/granted.ts). How many there are is remembered for a while; which ones is not.
import { expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildCustomer, buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

test.each([1_000, 1_001])('%d entries that are granted to a role, and what is granted after that', async (count) => {
  const { db, site, channel, master } = await buildScene(app, { readScope: 'none' });
  const { session } = await buildCustomer(db, site.id, { roles: ['editor'] });
  const editor = as(app, { token: site.public, session });
  const grant = (slug: string): Promise<unknown> =>
    buildEntry(db, channel, { slug, acl: { 'role:editor': { read: true } } });
  for (let at = 0; at < count; at += 1) await grant(`granted-${at}`);
  await buildEntry(db, channel, { slug: 'hidden' });

  const list = async (sort: string): Promise<unknown[]> => {
    const path = `/channels/articles/entries?per_page=2&sort=${sort}`;
    const { body, headers } = await editor.rest<{ slug: string }[]>('GET', path, {
      headers: { Prefer: 'count=exact' },
    });
    return [...body.map(({ slug }) => slug), Number(headers.get('x-total-count'))];
  };
  expect(await list('created_at')).toEqual(['granted-0', 'granted-1', count]);

  const path = '/channels/articles/entries/granted-0';
  expect(await master.rest('PATCH', path, { body: { _acl: {} } })).toMatchObject({ status: 200 });
  expect(await list('created_at')).toEqual(['granted-1', 'granted-2', count - 1]);
  for (const slug of ['late-0', 'late-1', 'late-2']) {
    const body = { slug, _acl: { 'role:editor': { read: true } } };
    expect(await master.rest('POST', '/channels/articles/entries', { body })).toMatchObject({ status: 201 });
  }
  expect(await list('-created_at')).toEqual(['late-2', 'late-1', count + 2]);
});
