// The console in a browser while others change the same, and while an answer is still on its way.
import { expect, test } from '@jest/globals';
import type { BrowserContext } from 'playwright-core';
import { expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';

const { enter, master } = await suiteConsole();

for (const channel of [
  {
    ...{ id: 'notes', name: 'Notes', publishable: true },
    fields: [
      { name: 'title', type: 'string', label: 'Title', required: true },
      { name: 'body', type: 'text', label: 'Body' },
    ],
  },
  { id: 'free', name: 'Free' },
  { id: 'shared', name: 'Shared', acl: { read: 'public', create: 'shared', update: 'shared', delete: 'none' } },
]) {
  const made = await master.rest('POST', '/channels', { body: channel });
  if (made.status !== 201) throw new Error(made.text);
}

/** Makes a note whose slug is its title, and tells its path. */
async function makeNote(title: string): Promise<string> {
  await master.rest('POST', '/channels/notes/entries', { body: { title, slug: title, body: 'old' } });
  return `/channels/notes/entries/${title}`;
}

async function stored(path: string): Promise<Record<string, unknown>> {
  return (await master.rest('GET', path)).body;
}

/** Holds the requests of a page until they are released. */
async function hold(context: BrowserContext, isMeant: (url: URL) => boolean): Promise<() => void> {
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await context.route(isMeant, async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

test('saving a channel’s scopes reverts no change by others', async () => {
  const path = '/channels/shared';
  const open = await enter();
  const { page, context } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, `${path}/access`);
  await page.getByLabel('Who may read').waitFor();
  // The page does not hear of what the other one does.
  const { text: body } = await master.rest('GET', '/channels');
  const isChannels = ({ pathname }: URL): boolean => pathname === '/channels';
  await context.route(isChannels, (route) => route.fulfill({ status: 200, contentType: 'application/json', body }));
  await master.rest('PATCH', path, { body: { acl: { create: 'none', update: 'none' }, publishable: true } });
  await page.getByLabel('Who may read').selectOption('private');
  const saved = page.waitForResponse((response) => response.request().method() === 'PATCH');
  await page.getByRole('button', { name: 'Save' }).click();
  expect((await saved).status()).toBe(200);
  expect(await stored(path)).toMatchObject({
    acl: { read: 'private', create: 'none', update: 'none', delete: 'none' },
    publishable: true,
  });
  // It does hear of this.
  await context.unroute(isChannels);
  await master.rest('PATCH', path, { body: { publishable: false } });
  await expectSoon(() => page.getByLabel(/Publishable/).isChecked(), false);
  await expectSoon(() => page.getByLabel('Who may update').inputValue(), 'none');
  await leave(open);
});

test('intermediate texts of a field are not saved', async () => {
  await master.rest('POST', '/channels/free/entries', { body: { title: 'Free', slug: 'free', year: 1 } });
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/free/entries/free');
  await page.getByRole('button', { name: 'JSON' }).click();
  const text = page.getByLabel('The entry as JSON');
  for (const typed of ['{"t": 1}', '{"ti": 1}', '{"title": "Freed", "tint": 1}']) await text.fill(typed);
  await page.getByText('Not saved yet: title, tint').waitFor();
  await text.fill('{"tint": 1}');
  await page.getByText('Not saved yet: tint', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  const entry = await stored('/channels/free/entries/free');
  expect([entry['title'], entry['tint'], entry['year'], entry['t'], entry['ti']]).toEqual([
    ...['Free', 1, 1, undefined, undefined],
  ]);
  await leave(open);
});

test('a conflict is about the members that the button saves, and a draft of others is kept', async () => {
  const path = await makeNote('announced');
  const open = await enter();
  const { page } = open;
  await visit(open, path);
  const publication = page.getByRole('group', { name: 'Publication' });
  const dialog = page.getByRole('dialog', { name: 'Somebody else saved this entry, too' });
  await page.getByLabel('Body', { exact: true }).fill('mine');
  await master.rest('PATCH', path, { body: { body: 'theirs' } });
  await publication.getByRole('button', { name: 'Publish now' }).click();
  await expectSoon(() => dialog.locator('li').allTextContents(), ['body: old theirs']);
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await publication.getByText('published', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ _status: 'published', body: 'theirs' });
  // What was typed began before they saved: it does not replace theirs unasked, though the version is known now.
  await page.getByText('Not saved yet: body').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await expectSoon(() => dialog.locator('legend').allTextContents(), ['body']);
  expect(await stored(path)).toMatchObject({ body: 'theirs' });
  await dialog.getByLabel('Yours: mine').check();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect(await stored(path)).toMatchObject({ _status: 'published', body: 'mine' });
  // The same with a time.
  await master.rest('PATCH', path, { body: { body: 'theirs again' } });
  await publication.getByRole('button', { name: 'Schedule …' }).click();
  await page.getByLabel('Visible from').fill('2999-01-01T12:00');
  await page.getByRole('dialog').getByRole('button', { name: 'Schedule' }).click();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await publication.getByText('scheduled, from').waitFor();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await stored(path)).toMatchObject({ _status: 'scheduled', body: 'theirs again' });
  await leave(open, [412]);
});

test('an entry that is loaded while a field is edited overwrites no input', async () => {
  const path = await makeNote('loaded');
  const open = await enter();
  const { page } = open;
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, path);
  await page.getByLabel('Body', { exact: true }).fill('mine');
  await master.rest('PATCH', path, { body: { body: 'theirs', title: 'Loaded by two' } });
  await page.getByText('Somebody else changed this entry.').waitFor();
  await page.getByRole('button', { name: 'Load what is stored' }).click();
  await page.getByRole('heading', { name: 'Loaded by two' }).waitFor();
  expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('mine');
  await page.getByRole('button', { name: 'Save' }).click();
  const dialog = page.getByRole('dialog');
  await expectSoon(() => dialog.locator('legend').allTextContents(), ['body']);
  expect(await dialog.textContent()).toContain('It was: old');
  expect(await stored(path)).toMatchObject({ body: 'theirs' });
  await dialog.getByLabel('Theirs: theirs').check();
  await dialog.getByRole('button', { name: 'Save this' }).click();
  await dialog.waitFor({ state: 'detached' });
  await expectSoon(() => page.getByLabel('Body', { exact: true }).inputValue(), 'theirs');
  expect(await stored(path)).toMatchObject({ body: 'theirs', title: 'Loaded by two' });
  await leave(open);
});

test('a draft is restored under each name of its entry', async () => {
  const path = await makeNote('named');
  const { id, short_id: shortId } = await stored(path);
  const open = await enter();
  const { page } = open;
  await visit(open, path);
  await page.getByLabel('Body', { exact: true }).fill('mine');
  for (const name of ['named', String(shortId), String(id)]) {
    await visit(open, '/channels/notes');
    await page.getByRole('link', { name: 'New entry' }).waitFor();
    await visit(open, `/channels/notes/entries/${name}`);
    await page.getByText('Not saved yet: body').waitFor();
    expect(await page.getByLabel('Body', { exact: true }).inputValue()).toBe('mine');
    expect(page.url()).toMatch(new RegExp(`${String(id)}$`));
  }
  await leave(open);
});

test('an answer for another actor is not shown while the next one loads', async () => {
  const open = await enter();
  const { page, context } = open;
  const isForRoles = ({ searchParams }: URL): boolean => searchParams.get('as')?.startsWith('roles:') === true;
  await visit(open, '/channels/articles');
  await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).click();
  const verdict = page.getByTestId('verdict');
  await verdict.getByText('does not see this entry').waitFor();
  const release = await hold(context, isForRoles);
  await page.getByRole('combobox', { name: 'Explain for' }).selectOption('roles');
  await page.getByText('Loading the explanation …').waitFor();
  expect(await verdict.count()).toBe(0);
  release();
  await verdict.getByText('A signed-in customer').waitFor();
  await page.keyboard.press('Escape');
  await context.unroute(isForRoles);
  const releaseList = await hold(context, isForRoles);
  await page.getByRole('combobox', { name: 'Seen by' }).selectOption('roles');
  await page.getByText('Loading entries …').waitFor();
  expect(await page.getByRole('link', { name: 'The Map Room, Part One' }).count()).toBe(0);
  releaseList();
  await page.getByRole('link', { name: 'The Last Ferry of the Evening' }).waitFor();
  await leave(open);
});
