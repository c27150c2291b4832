// The start page: what `GET /` gives browsers, and what it gives others (docs/contract.md §14).
import { expect, test } from '@jest/globals';
import { send } from '../../support/as.ts';
import { expectClean, openPage, suiteBrowser } from '../../support/browser.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const browser = await suiteBrowser();

test('a browser gets a page', async () => {
  const open = await openPage(browser, `${app.url}/`);
  expect(await open.page.textContent('h1')).toBe('Entryway');
  expectClean(open);
  await open.close();
});

test('others get JSON', async () => {
  const answer = await send(app, 'GET', '/', { headers: { Accept: '*/*' } });
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json; charset=utf-8']);
});

test('a violation of the policy is seen', async () => {
  const open = await openPage(browser, `${app.url}/`);
  await open.page.evaluate(`
    const script = document.createElement('script');
    script.textContent = 'document.title = "run"';
    document.body.append(script);
  `);
  expect(await open.page.title()).toBe('Entryway');
  expect(open.faults).toEqual([expect.stringContaining('Content Security Policy')]);
  await open.close();
});
