// The console in a browser when a save is refused or fails, and when the connection is lost: told where the eye is, at once, and with
// nothing saved behind one's back.
import { expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import type { OpenPage } from '../../support/browser.ts';
import { expectGoodLooks, expectSoon, leave, suiteConsole, visit } from '../../support/console.ts';

const { enter, master } = await suiteConsole();

const message = 'Three capital letters, such as NTX.';
const lines = Array.from({ length: 20 }, (_, at) => ({ name: `line_${at}`, type: 'text', label: `Line ${at}` }));
for (const channel of [
  {
    ...{ id: 'stations', name: 'Stations' },
    fields: [
      { name: 'title', type: 'string', label: 'Title', required: true },
      ...lines.slice(0, 10),
      { name: 'code', type: 'string', label: 'Code', pattern: '^[A-Z]{3}$', message },
      { name: 'marks', type: 'strings', label: 'Marks', max: 1 },
      ...lines.slice(10),
    ],
  },
]) {
  const made = await master.rest('POST', '/channels', { body: channel });
  if (made.status !== 201) throw new Error(made.text);
}

async function makeStation(slug: string): Promise<string> {
  const made = await master.rest('POST', '/channels/stations/entries', { body: { title: slug, slug } });
  if (made.status !== 201) throw new Error(made.text);
  return `/channels/stations/entries/${slug}`;
}

/** The label of the control that has the focus, once it is within the window. */
const focusedInSight = `(() => {
  const { top, bottom } = document.activeElement.getBoundingClientRect();
  const label = document.activeElement.labels?.[0]?.textContent ?? document.activeElement.getAttribute('aria-label');
  return top >= 0 && bottom <= innerHeight ? label : null;
})()`;

const alertOf = (page: Page) => page.locator('.savebar').getByRole('alert');

/** Leaves a page whose requests did not come through, which the browser itself reports. */
async function leaveCut(open: OpenPage): Promise<void> {
  const isCut = (fault: string): boolean => /net::ERR_(FAILED|INTERNET_DISCONNECTED|NETWORK_CHANGED)/.test(fault);
  expect(open.faults.filter((fault) => !isCut(fault))).toEqual([]);
  expect(open.strangers).toEqual([]);
  await open.close();
}

test('a refused save is reported in the bar, and focuses the first invalid field, with its message', async () => {
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/stations/new');
  await page.getByRole('textbox', { name: 'Title' }).fill('Nutex');
  await page.getByLabel('Code', { exact: true }).fill('nutex');
  await page.getByRole('button', { name: 'Create' }).click();
  await alertOf(page).getByText('Not saved: 1 field is not right').waitFor();
  await expectSoon(() => page.evaluate(focusedInSight), 'Code');
  expect(await page.locator('.labelled', { hasText: 'Code' }).locator('.wrong').textContent()).toBe(message);
  await expectGoodLooks(open, 'refused');
  // The way back to the field stands in the bar.
  await page.getByRole('textbox', { name: 'Title' }).fill('');
  await alertOf(page).getByRole('button', { name: 'Go to the field' }).click();
  await expectSoon(() => page.evaluate(focusedInSight), 'Code');
  await page.getByRole('button', { name: 'Create' }).click();
  await alertOf(page).getByText('Not saved: 2 fields are not right').waitFor();
  await expectSoon(() => page.evaluate(focusedInSight), 'Title (required)');
  await leave(open, [422]);
});

test('a refused save of the access list leads to the form, and focuses the first part of a control with several', async () => {
  await makeStation('listed');
  const open = await enter();
  const { page } = open;
  await visit(open, '/channels/stations/entries/listed');
  for (const text of ['one', 'two']) {
    await page.getByRole('button', { name: 'Add a text' }).click();
    await page.getByLabel(`Marks, text ${text === 'one' ? 1 : 2}`).fill(text);
  }
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await page.getByRole('button', { name: 'Save' }).click();
  await alertOf(page).getByText('Not saved: 1 field is not right').waitFor();
  await expectSoon(() => page.evaluate(focusedInSight), 'Marks, text 1');
  // Whoever looks at another view stays there.
  await page.getByRole('button', { name: 'JSON', exact: true }).click();
  await alertOf(page).getByText('marks', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Access', exact: true }).click();
  await page.getByLabel('Owner').waitFor();
  await leave(open, [422]);
});

test('a save without an answer is reported in the bar, and can be repeated', async () => {
  const path = await makeStation('unanswered');
  const open = await enter();
  const { page, context } = open;
  await visit(open, path);
  await page.getByLabel('Code', { exact: true }).fill('ABC');
  const isEntry = ({ pathname }: URL): boolean => pathname.startsWith('/channels/stations/entries/');
  await context.route(isEntry, (route) => (route.request().method() === 'PATCH' ? route.abort() : route.continue()));
  await page.getByRole('button', { name: 'Save' }).click();
  await alertOf(page).getByText('Not saved: the service did not answer').waitFor();
  await context.unroute(isEntry);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  expect((await master.rest('GET', path)).body).toMatchObject({ code: 'ABC' });
  await leaveCut(open);
});

test('without a connection, the badge shows it and a save fails at once; lists load when it is back', async () => {
  const path = await makeStation('offline');
  const open = await enter();
  const { page, context } = open;
  const badge = page.locator('.badge.live');
  await page.getByText('live', { exact: true }).waitFor();
  await visit(open, path);
  await page.getByLabel('Code', { exact: true }).fill('ABC');
  await context.setOffline(true);
  await expectSoon(() => badge.textContent(), 'no connection');
  await page.getByText('No connection.', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await alertOf(page).getByText('Not saved: no connection').waitFor();
  expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true);
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Films' }).click();
  await page.getByText('There is no connection. Loading entries when it is back …').waitFor();
  await expectGoodLooks(open, 'offline');
  await context.setOffline(false);
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  await expectSoon(() => badge.textContent(), 'live');
  // Nothing was saved meanwhile; what was typed is there.
  expect((await master.rest('GET', path)).body).toMatchObject({ code: null });
  await page.getByRole('navigation', { name: 'Channels' }).getByRole('link', { name: 'Stations' }).click();
  await page.getByRole('link', { name: 'offline' }).click();
  await page.getByText('Not saved yet: code').waitFor();
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved', { exact: true }).waitFor();
  await leaveCut(open);
});

test('a list that failed without the service loads by itself when the service is back', async () => {
  const open = await enter();
  const { page, context } = open;
  await page.getByText('live', { exact: true }).waitFor();
  const isData = ({ pathname }: URL): boolean => /^\/(changes|channels)/.test(pathname);
  await context.route(isData, (route) => route.abort());
  await visit(open, '/channels/films');
  await page.getByRole('alert').getByText('No answer').waitFor();
  // The stream ends as well, and is opened again.
  await context.setOffline(true);
  await context.setOffline(false);
  await context.unroute(isData);
  await page.getByRole('link', { name: 'Alien', exact: true }).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
  await leaveCut(open);
});
