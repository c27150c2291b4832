// The console with a member's token: an editor and a publisher do what their rights let them, and are offered nothing else.
import { expect, test } from '@jest/globals';
import { expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';
import { buildMember } from '../../support/members.ts';

const { app, demo, enter, master } = await suiteConsole();
const place = { db: app.database.prisma, site: { id: demo.site } };
const at = '/channels/articles/entries/notes-on-a-harbour-in-fog';

type Body = Record<string, unknown>;
const stored = async (): Promise<Body> => (await master.rest<Body>('GET', at)).body;

test('a publisher publishes a draft, edits it in public without a gap, and takes it back', async () => {
  const publisher = await buildMember(app, place, ['publisher']);
  const open = await enter({ token: publisher.token, site: demo.site });
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'Notes on a Harbour in Fog' }).click();
  const publication = page.getByRole('group', { name: 'Publication' });
  await publication.getByRole('button', { name: 'Publish now' }).click();
  await publication.getByText('published', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Fog');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ title: 'Fog', _status: 'published' });
  await publication.getByRole('button', { name: 'Schedule …' }).click();
  await page.getByLabel('Visible from').fill('2999-01-01T12:00');
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click();
  await publication.getByText('scheduled, from').waitFor();
  await publication.getByRole('button', { name: 'Unpublish' }).click();
  await publication.getByText('draft', { exact: true }).waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Fog again');
  await page.getByRole('button', { name: 'Save' }).click();
  await expectSoon(async () => (await stored())['title'], 'Fog again');
  expect(await stored()).toMatchObject({ _status: 'draft', _publish_at: null });
  await leave(open);
});

test('an editor changes a draft, and is offered no change of what is published', async () => {
  await master.rest('PATCH', at, { body: { title: 'Draft', _status: 'draft' } });
  const editor = await buildMember(app, place, ['editor']);
  const open = await enter({ token: editor.token, site: demo.site });
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'Draft', exact: true }).click();
  await page.getByText('Your user token may not publish this entry.').waitFor();
  await page.getByRole('textbox', { name: 'Title' }).fill('Edited');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored()).toMatchObject({ title: 'Edited', _status: 'draft' });
  await master.rest('POST', `${at}/publish`);
  await page.reload();
  await page.getByText('Your user token may not change this entry.').first().waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).isDisabled()).toBe(true);
  await leave(open);
});
