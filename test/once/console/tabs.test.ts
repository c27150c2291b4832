// The console in several tabs of a browser: the token goes with one's own links, to nobody else, and is gone from all of them at once.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';

const { app, demo, enter, master } = await suiteConsole();

await master.rest('POST', '/channels/articles/entries', { body: { title: 'In tabs', slug: 'in-tabs' } });
const path = '/channels/articles/entries/in-tabs';

/** Clicks something that opens a new tab, and waits for that. */
async function openTab(page: Page, click: () => Promise<void>): Promise<Page> {
  const opened = page.context().waitForEvent('page');
  await click();
  return opened;
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const door = (page: Page) => page.getByLabel('Token', { exact: true });

test('a link opened in a new tab takes over the token of its tab, also in GraphiQL, beside tabs with other tokens', async () => {
  const open = await enter({ token: demo.tokens.user, site: demo.site });
  const { page, context } = open;
  // Another tab, with another token: a link goes on with that of the tab that it was clicked in.
  const other = await context.newPage();
  await other.goto(`${app.url}/console`);
  await heading(other, 'Channels').waitFor();
  await other.getByRole('button', { name: 'Sign out' }).click();
  await door(other).fill(demo.tokens.master);
  await other.getByRole('button', { name: 'Use the token' }).click();
  await heading(other, 'Channels').waitFor();
  await door(page).fill(demo.tokens.user);
  await page.getByLabel('Site', { exact: true }).fill(demo.site);
  await page.getByRole('button', { name: 'Use the token' }).click();
  await heading(page, 'Channels').waitFor();
  const nav = page.getByRole('navigation', { name: 'Channels' });
  for (const click of [
    () => nav.getByRole('link', { name: 'Films' }).click({ modifiers: ['Control'] }),
    () => nav.getByRole('link', { name: 'Films' }).click({ button: 'middle' }),
  ]) {
    const tab = await openTab(page, click);
    await heading(tab, 'Films').waitFor();
    await tab.getByText(`user token, ${demo.site}`).waitFor();
    await tab.close();
  }
  const graphiql = await openTab(page, () => page.getByRole('link', { name: 'GraphQL' }).click({ button: 'middle' }));
  await expectSoon(() => graphiql.getByLabel('Token', { exact: true }).inputValue(), demo.tokens.user);
  // It is in no storage that outlives the tabs, and in no cookie.
  expect(await page.evaluate('[localStorage.length, document.cookie]')).toEqual([0, '']);
  expect(await context.cookies()).toEqual([]);
  await leave(open);
});

test('a page of another origin gets no token', async () => {
  const open = await enter();
  const { page, context } = open;
  const stranger = await context.newPage();
  const elsewhere = new URL(app.url);
  elsewhere.hostname = 'localhost';
  await context.route(
    ({ hostname }) => hostname === 'localhost',
    (route) => route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Elsewhere</title>' }),
  );
  await stranger.goto(elsewhere.href);
  await stranger.evaluate(`{
    globalThis.heard = [];
    const channel = new BroadcastChannel('entryway.credentials');
    channel.onmessage = ({ data }) => heard.push(data);
    channel.postMessage({ type: 'ask', id: 'stranger' });
    channel.postMessage({ type: 'forget', holder: ${JSON.stringify(demo.tokens.master)} });
  }`);
  // Meanwhile a tab of this origin is handed the token.
  const tab = await context.newPage();
  await tab.goto(`${app.url}/console`);
  await heading(tab, 'Channels').waitFor();
  expect(await stranger.evaluate('heard')).toEqual([]);
  expect(await heading(page, 'Channels').count()).toBe(1);
  await leave(open);
});

test('signing out of one tab signs out all with its token, and a new tab then asks for a token', async () => {
  const open = await enter();
  const { page, context } = open;
  const tab = await context.newPage();
  await tab.goto(`${app.url}/console`);
  await heading(tab, 'Channels').waitFor();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await door(page).waitFor();
  await tab.getByText('You were signed out in another tab.').waitFor();
  expect(await tab.evaluate('sessionStorage.length')).toBe(0);
  const next = await context.newPage();
  await next.goto(`${app.url}/console`);
  await door(next).waitFor();
  expect(await door(next).inputValue()).toBe('');
  await leave(open);
});

test('signing out asks before it discards unsaved input, in this or another tab', async () => {
  const open = await enter();
  const { page, context } = open;
  await visit(open, path);
  await page.getByRole('textbox', { name: 'title' }).fill('Not saved');
  await page.getByRole('button', { name: 'Sign out' }).click();
  const dialog = page.getByRole('dialog', { name: 'Sign out, and lose what is not saved?' });
  await dialog.getByText('There are unsaved changes of 1 entry in this tab.').waitFor();
  await dialog.getByRole('button', { name: 'Stay signed in' }).click();
  expect(await page.getByRole('textbox', { name: 'title' }).inputValue()).toBe('Not saved');
  const tab = await context.newPage();
  await tab.goto(`${app.url}/console`);
  await heading(tab, 'Channels').waitFor();
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByRole('dialog').getByText('There are unsaved changes in another tab.').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Sign out, and lose it' }).click();
  await door(tab).waitFor();
  await door(page).waitFor();
  expect((await master.rest('GET', path)).body).toMatchObject({ title: 'In tabs' });
  await leave(open);
});
