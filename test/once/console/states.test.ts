// The console in a browser when there is nothing to show yet, nothing at all, or something went wrong: what it says then, and how that
// looks.
import { expect, test } from '@jest/globals';
import { openPage } from '../../support/browser.ts';
import { expectSoon, leave, expectGoodLooks, signIn, suiteConsole, visit } from '../../support/console.ts';

const { app, browser, demo, enter, master } = await suiteConsole();

const made = await master.rest('POST', '/channels', {
  body: {
    ...{ id: 'notes', name: 'Notes', publishable: true },
    fields: [
      { name: 'title', type: 'string', label: 'Title', required: true },
      { name: 'body', type: 'text', label: 'Body', max: 100 },
    ],
  },
});
if (made.status !== 201) throw new Error(made.text);
await master.rest('POST', '/channels', { body: { id: 'drawer', name: 'Drawer' } });

const isList = ({ pathname }: URL): boolean => pathname === '/channels/films/entries';

test('the sign-in says what each kind of token may do, and why one is refused', async () => {
  const open = await openPage(browser, `${app.url}/console`);
  const { page } = open;
  await page.getByText('It begins with ew_master_, ew_public_ or ew_user_.').waitFor();
  await expectGoodLooks(open, 'door');
  await signIn(page, 'ew_user_0000000000000000000000000000000000000000', 'nowhere');
  await page.getByRole('alert').getByText('(401)').waitFor();
  await expectGoodLooks(open, 'door-refused');
  await leave(open, [401]);
});

test('a slow list shows that it loads, and then its entries', async () => {
  const open = await enter();
  const { page, context } = open;
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route(isList, async (route) => {
    await held;
    await route.continue();
  });
  await visit(open, '/channels/films');
  await page.getByText('Loading entries …').waitFor();
  await expectGoodLooks(open, 'loading');
  release();
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  await leave(open);
});

test('an empty channel and a search without results are reported', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/drawer');
  await page.getByText('There are no entries to see here.').waitFor();
  await expectGoodLooks(open, 'empty');
  await page.getByLabel('Search the texts').fill('harbour');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No entry matches the search and the filters.').waitFor();
  await leave(open);
});

test('a service that does not answer is reported, and requested once more', async () => {
  const open = await enter();
  const { page, context } = open;
  await context.route(isList, (route) => route.abort());
  await visit(open, '/channels/films');
  await page.getByRole('alert').getByText('No answer').waitFor();
  await expectGoodLooks(open, 'no-answer');
  await context.unroute(isList);
  await page.getByRole('button', { name: 'Try again', exact: true }).click();
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  expect(open.strangers).toEqual([]);
  // The browser itself reports what did not come.
  expect(open.faults.filter((fault) => !fault.includes('net::ERR_FAILED'))).toEqual([]);
  await open.close();
});

test('a failure of the service is shown with the id of its request', async () => {
  const open = await enter();
  const { page, context } = open;
  const problem = { title: 'Internal error', status: 500, code: 'internal_error', request_id: 'r-500' };
  const body = JSON.stringify({ ...problem, detail: 'Something failed. It was logged.' });
  await context.route(isList, (route) =>
    route.fulfill({ status: 500, headers: { 'Content-Type': 'application/problem+json' }, body }),
  );
  await visit(open, '/channels/films');
  await page.getByRole('alert').getByText('Internal error (500)').waitFor();
  await page.getByRole('alert').getByText('r-500').waitFor();
  await expectGoodLooks(open, 'failure');
  await leave(open, [500]);
});

test('an invalid value is reported beside its field, also in a conflict', async () => {
  const path = '/channels/notes/entries/shared';
  await master.rest('POST', '/channels/notes/entries', { body: { title: 'Shared', slug: 'shared', body: 'old' } });
  const open = await enter();
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, '/channels/notes');
  await page.getByRole('link', { name: 'Shared' }).click();
  await page.getByLabel('Body', { exact: true }).fill('x'.repeat(101));
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.labelled', { hasText: 'Body' }).locator('.wrong').waitFor();
  await expectGoodLooks(open, 'field-problem');
  await master.rest('PATCH', path, { body: { body: 'theirs', title: 'Shared by two' } });
  await page.getByText('Somebody else changed this entry.').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Somebody else saved this entry, too').waitFor();
  await expectGoodLooks(open, 'conflict');
  await dialog.getByLabel('Yours: x').check();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  // The dialog stays, and says why nothing was saved.
  await dialog.getByRole('alert').getByText('(422)').waitFor();
  await dialog.getByLabel('Theirs: theirs').check();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { name: 'Shared by two' }).waitFor();
  expect((await master.rest('GET', path)).body).toMatchObject({ title: 'Shared by two', body: 'theirs' });
  await leave(open, [412, 422]);
});

test('an entry that another user deleted is reported, and then missing', async () => {
  await master.rest('POST', '/channels/notes/entries', { body: { title: 'Doomed', slug: 'doomed' } });
  const open = await enter();
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, '/channels/notes');
  await page.getByRole('link', { name: 'Doomed' }).click();
  await page.getByLabel('Body', { exact: true }).fill('mine');
  await master.rest('DELETE', '/channels/notes/entries/doomed');
  await page.getByText('Somebody else deleted this entry').waitFor();
  await expectGoodLooks(open, 'deleted');
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('mine');
  await page.getByRole('button', { name: 'Load what is stored' }).click();
  await page.getByRole('alert').getByText('(404)').waitFor();
  await leave(open, [404]);
});

test('confirmation dialogs fit a phone', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'Notes on a Harbour in Fog' }).click();
  await page.getByRole('button', { name: 'Schedule …' }).click();
  await page.getByLabel('Visible from').fill('2999-01-01T12:00');
  await expectGoodLooks(open, 'schedule');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Delete …' }).click();
  await page.getByRole('dialog').getByText('is deleted for good').waitFor();
  await expectGoodLooks(open, 'delete');
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await leave(open);
});

const isBeforeUnloadRefused = `!dispatchEvent(new Event('beforeunload', { cancelable: true }))`;

test('unsaved input survives a visit of another screen, and is compared with the version that it began with', async () => {
  const path = '/channels/notes/entries/long';
  await master.rest('POST', '/channels/notes/entries', { body: { title: 'Long work', slug: 'long', body: 'old' } });
  const open = await enter();
  const { page } = open;
  const draft = page.getByLabel('Body', { exact: true });
  await visit(open, '/channels/notes');
  await page.getByRole('link', { name: 'Long work' }).click();
  await draft.waitFor();
  expect(await page.evaluate(isBeforeUnloadRefused)).toBe(false);
  await draft.fill('mine');
  // Somewhere else, and back.
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Films' }).click();
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  expect(await page.evaluate(isBeforeUnloadRefused)).toBe(true);
  await master.rest('PATCH', path, { body: { body: 'theirs' } });
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Notes' }).click();
  await page.getByRole('link', { name: 'Long work' }).click();
  await page.getByText('Not saved yet: body').waitFor();
  // Through somebody else's eyes, and back.
  await page.getByRole('combobox', { name: 'Seen by' }).selectOption('anonymous');
  await page.getByRole('heading', { name: 'Not seen' }).waitFor();
  await page.getByRole('button', { name: 'End the preview' }).click();
  await page.getByText('Not saved yet: body').waitFor();
  expect(await draft.inputValue()).toBe('mine');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Yours: mine').check();
  expect((await master.rest('GET', path)).body).toMatchObject({ body: 'theirs' });
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await master.rest('GET', path)).body).toMatchObject({ body: 'mine' });
  await expectSoon(() => page.evaluate(isBeforeUnloadRefused), false);
  // A new entry is kept likewise, and is gone once it was created.
  await page.getByRole('link', { name: '← Notes' }).click();
  await page.getByRole('link', { name: 'New entry' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('Begun');
  await page.getByRole('link', { name: '← Notes' }).click();
  await page.getByRole('link', { name: 'Long work' }).waitFor();
  await page.getByRole('link', { name: 'New entry' }).click();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('Begun');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'Begun', exact: true }).waitFor();
  await page.getByRole('link', { name: '← Notes' }).click();
  await page.getByRole('link', { name: 'New entry' }).click();
  await page.getByRole('button', { name: 'Create' }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Title' }).inputValue()).toBe('');
  expect(await page.evaluate(isBeforeUnloadRefused)).toBe(false);
  await leave(open, [404, 412]);
});

test('the pages of a tab share the token, and signing out forgets it for all', async () => {
  const open = await openPage(browser, `${app.url}/`);
  const { page } = open;
  await page.getByLabel('Token').fill(demo.tokens.user);
  await page.getByLabel('Session', { exact: true }).fill('ew_session_kept');
  await page.getByRole('link', { name: 'Console' }).click();
  // A user's token needs a site, which was not entered.
  expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe(demo.tokens.user);
  await page.getByLabel('Site', { exact: true }).fill(demo.site);
  await page.getByRole('button', { name: 'Use the token' }).click();
  await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
  await page.getByRole('link', { name: 'GraphQL' }).click();
  await page.getByRole('button', { name: /Execute query/ }).waitFor();
  const read = async (): Promise<string[]> =>
    Promise.all(['Token', 'Site', 'Session'].map((name) => page.getByLabel(name, { exact: true }).inputValue()));
  expect(await read()).toEqual([demo.tokens.user, demo.site, 'ew_session_kept']);
  await page.getByRole('link', { name: 'Console' }).click();
  await page.getByRole('heading', { name: 'Channels', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByLabel('Token', { exact: true }).waitFor();
  await page.goto(`${app.url}/`);
  await page.locator('#version', { hasText: /^\d/ }).waitFor();
  expect(await read()).toEqual(['', '', '']);
  await leave(open);
});
