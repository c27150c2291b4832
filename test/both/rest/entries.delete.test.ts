// DELETE /channels/{channel_id}/entries/{entry_id} (docs/contract.md §3, §5).
import { expect, test } from '@jest/globals';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

test('a delete is 204 without a body, deletes that entry alone, and is 404 a second time', async () => {
  const { db, site, channel, master } = await buildScene(app);
  await buildEntry(db, channel, { slug: 'one' });
  await buildEntry(db, channel, { slug: 'two' });
  const elsewhere = await buildChannel(db, site.id, { id: 'pages' });
  await buildEntry(db, elsewhere, { slug: 'one' });
  const answer = await master.rest('DELETE', '/channels/articles/entries/one');
  expect([answer.status, answer.text, answer.headers.get('content-type')]).toEqual([204, '', null]);
  expectProblem(await master.rest('GET', '/channels/articles/entries/one'), 'not_found');
  expectProblem(await master.rest('DELETE', '/channels/articles/entries/one'), 'not_found');
  expectEntry(await master.rest('GET', '/channels/articles/entries/two'));
  expectEntry(await master.rest('GET', '/channels/pages/entries/one'));
});
