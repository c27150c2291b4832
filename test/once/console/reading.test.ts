// The console in a browser, looking: signing in, lists, filters, pages, previews and why.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { openPage } from '../../support/browser.ts';
import { expectSoon, expectTitles, leave, signIn, suiteConsole, visit } from '../../support/console.ts';
import { buildMember } from '../../support/members.ts';

const { app, browser, demo, enter, master } = await suiteConsole();

async function seeAs(page: Page, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: 'Seen by' }).selectOption(choice);
}

const seenByAnyone = [
  'Why the Plane Trees Were Cut Short',
  'Bread from a Cooling Oven',
  'The Last Ferry of the Evening',
];
const all = ['Notes on a Harbour in Fog', 'A Month of Night Trains', 'The Map Room, Part One', ...seenByAnyone];

test('the sign-in refuses an invalid token with the reason', async () => {
  const open = await openPage(browser, `${app.url}/console`);
  const { page } = open;
  await page.getByText('It begins with ew_master_, ew_public_ or ew_user_.').waitFor();
  expect(await page.getByRole('button', { name: 'Use the token' }).isDisabled()).toBe(true);
  await signIn(page, `${demo.tokens.master}x`);
  expect(await page.getByRole('alert').textContent()).toContain('(401)');
  await signIn(page, demo.tokens.user, 'nowhere');
  await page.getByRole('alert').getByText('(403)').waitFor();
  await leave(open, [401, 403]);
});

test('each kind of token sees its channels and its menu', async () => {
  for (const [kind, token] of Object.entries(demo.tokens)) {
    const open = await enter({ token, ...(kind === 'user' && { site: demo.site }) });
    const { page } = open;
    await page.getByText(`${kind} token`, { exact: false }).first().waitFor();
    const links = page.getByRole('navigation', { name: 'Site' }).getByRole('link');
    await expectSoon(
      () => links.allTextContents(),
      kind === 'public' ? ['Channels'] : ['Channels', 'Customers', 'Members', 'Tokens'],
    );
    await visit(open, '/channels/articles');
    await expectTitles(page, kind === 'public' ? seenByAnyone : all);
    expect(await page.getByRole('combobox', { name: 'Seen by' }).count()).toBe(kind === 'public' ? 0 : 1);
    expect(await page.getByRole('link', { name: 'Access' }).count()).toBe(kind === 'public' ? 0 : 1);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('Token', { exact: true }).waitFor();
    expect(await page.evaluate('sessionStorage.length')).toBe(0);
    await leave(open);
  }
});

test('filters, search, sort and columns change the list', async () => {
  const open = await enter();
  const { page } = open;
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Films' }).click();
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByLabel('Field', { exact: true }).selectOption('year');
  await page.getByLabel('Comparison').selectOption('gte');
  await page.getByLabel('Value').fill('2017');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expectTitles(page, ['Dune: Part Two', 'Dune', 'Blade Runner 2049']);
  for (const direction of ['descending', 'ascending']) {
    await page.getByRole('button', { name: 'Year', exact: true }).click();
    await page.locator(`th[aria-sort="${direction}"]`).waitFor();
  }
  await expectTitles(page, ['Blade Runner 2049', 'Dune', 'Dune: Part Two']);
  await page.getByText('Columns', { exact: true }).click();
  await page.getByLabel('Country').check();
  await page.getByRole('columnheader', { name: 'Country' }).waitFor();
  // The tab keeps the list while an entry is looked at.
  await page.getByRole('link', { name: 'Dune', exact: true }).click();
  await page.getByRole('link', { name: '← Films' }).click();
  await expectTitles(page, ['Blade Runner 2049', 'Dune', 'Dune: Part Two']);
  await page.getByRole('button', { name: 'Remove the filter on Year' }).click();
  await page.getByLabel('Search the texts').fill('jurassic -"lost world"');
  await page.getByLabel('Search the texts').press('Enter');
  await expectTitles(page, ['Jurassic Park']);
  await page.getByLabel('Search the texts').fill('nothingofthekind');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('No entry matches the search and the filters.').waitFor();
  await page.getByRole('button', { name: 'Add a filter' }).click();
  await page.getByLabel('Field', { exact: true }).selectOption('year');
  await page.getByLabel('Value').fill('soon');
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByRole('alert').getByText('Bad request (400)').waitFor();
  await leave(open, [400]);
});

test('a list is read page by page, forwards and backwards', async () => {
  const operations = Array.from({ length: 30 }, (_none, index) => {
    return { op: 'create', data: { title: `Note ${String(index).padStart(2, '0')}` } };
  });
  await master.rest('POST', '/channels', { body: { id: 'notes', fields: [{ name: 'title', type: 'string' }] } });
  await master.rest('POST', '/channels/notes/entries/bulk', { body: { operations } });
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/notes');
  await page.getByRole('button', { name: 'Title' }).click();
  await page.getByText('Page 1, 30 entries').waitFor();
  await page.getByRole('columnheader', { name: 'Title' }).and(page.locator('[aria-sort="ascending"]')).waitFor();
  await page.getByRole('button', { name: 'Next' }).click();
  await expectTitles(page, ['Note 25', 'Note 26', 'Note 27', 'Note 28', 'Note 29']);
  expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByText('Page 1, 30 entries').waitFor();
  await page.getByRole('link', { name: 'Note 00' }).waitFor();
  await visit(open, '/channels/films/fields');
  await page.getByRole('cell', { name: 'reference to people' }).waitFor();
  await page.getByRole('cell', { name: 'matches ^tt[0-9]+$' }).waitFor();
  await visit(open, '/channels/articles/fields');
  await page.getByText('This channel declares no fields').waitFor();
  await visit(open, '/channels/nowhere');
  await page.getByText('There is no channel “nowhere”').waitFor();
  await visit(open, '/nowhere');
  await page.getByText('There is no such page').waitFor();
  await leave(open);
});

test('a preview shows the entries that an actor sees, now and later, and marks hidden ones', async () => {
  const customers = await master.rest<{ id: string }[]>('GET', '/customers');
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await expectTitles(page, all);
  await seeAs(page, 'anonymous');
  await page.getByText('You see what an anonymous visitor sees now.').waitFor();
  await expectTitles(page, seenByAnyone);
  await page.getByLabel('At', { exact: true }).fill('2999-01-01T00:00');
  await expectTitles(page, ['A Month of Night Trains', ...seenByAnyone]);
  await seeAs(page, 'roles');
  await page.getByLabel('Roles, with commas between them').fill('subscriber');
  await page.getByLabel('Roles, with commas between them').press('Enter');
  await expectTitles(page, all.slice(1));
  await page.getByRole('button', { name: 'End the preview' }).click();
  await expectTitles(page, all);
  await seeAs(page, 'customer');
  await page.getByLabel('The customer’s id').fill(customers.body[0]?.id ?? '');
  await page.getByLabel('The customer’s id').press('Enter');
  await expectTitles(page, ['The Map Room, Part One', ...seenByAnyone]);
  await seeAs(page, 'anonymous');
  await page.getByLabel(/Also list what/).check();
  await expectTitles(page, all);
  expect(await page.locator('.hidden-entry td[data-label="Title"] a').allTextContents()).toEqual(all.slice(0, 3));
  // The choice outlives a reload: it belongs to the tab.
  await page.reload();
  await page.getByText('You see what an anonymous visitor sees now.').waitFor();
  await expectTitles(page, seenByAnyone);
  await leave(open);
});

test('a preview by a user token has only entries that the token may read, and explains no others', async () => {
  const { token } = await buildMember(app, { db: app.database.prisma, site: { id: demo.site } }, []);
  const open = await enter({ token, site: demo.site });
  const { page } = open;
  await visit(open, '/channels/articles');
  await expectTitles(page, [...all.slice(0, 2), ...seenByAnyone]);
  await seeAs(page, 'anonymous');
  await expectTitles(page, seenByAnyone);
  await page.getByLabel(/Also list what/).check();
  await page.locator('.hidden-entry').first().waitFor();
  expect(await page.locator('.hidden-entry td[data-label="Title"] a').allTextContents()).toEqual(all.slice(0, 2));
  await page.getByRole('button', { name: 'Why: A Month of Night Trains' }).click();
  await page.getByTestId('verdict').getByText('does not see this entry').waitFor();
  await page.keyboard.press('Escape');
  const { body: found } = await master.rest<{ id: string }[]>('GET', '/channels/articles/entries?q=map');
  await visit(open, `/channels/articles/entries/${found[0]?.id}`);
  await page.getByText('There is no such entry, or your token may not read it itself').waitFor();
  expect(await page.getByTestId('verdict').count()).toBe(0);
  await leave(open, [404, 404]);
});

test('the explanation of a hidden entry has a sentence and a table', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/articles');
  await page.getByRole('button', { name: 'Why: The Map Room, Part One' }).click();
  const verdict = page.getByTestId('verdict');
  await verdict.getByText('does not see this entry').waitFor();
  expect(await verdict.textContent()).toBe(
    'An anonymous visitor does not see this entry: the entry’s access list denies it to everyone, and no key that matches allows it.',
  );
  expect(await page.getByRole('dialog').locator('tbody td').allTextContents()).toEqual([
    'read',
    '* everyone',
    'deny',
    'yes',
  ]);
  await page.getByRole('combobox', { name: 'Explain for' }).selectOption('roles');
  await page.getByRole('dialog').getByLabel('Roles, with commas between them').fill('subscriber');
  await page.getByRole('dialog').getByLabel('Roles, with commas between them').press('Enter');
  await verdict.getByText('with the role subscriber sees this entry').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe('Why: The Map Room, Part One');
  // An entry that the actor does not see says why in place of its form.
  await page.getByRole('link', { name: 'Notes on a Harbour in Fog' }).click();
  await page.getByRole('button', { name: 'Save' }).waitFor();
  await seeAs(page, 'anonymous');
  await page.getByRole('heading', { name: 'Not seen' }).waitFor();
  expect(await verdict.textContent()).toContain('publication hides it, because it is a draft');
  await visit(open, '/channels/articles');
  await page.getByRole('link', { name: 'The Last Ferry of the Evening' }).click();
  await page.getByText('A preview is read only.').waitFor();
  await verdict.getByText('sees this entry').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).count()).toBe(0);
  await leave(open, [404]);
});
