// The reference of REST at /docs: read without a token, and called with one (docs/contract.md §20).
import { expect, test } from '@jest/globals';
import { tokenPattern } from '../../../src/base/redaction.ts';
import { expectAccessible, expectClean, openPage, suiteBrowser, takePicture } from '../../support/browser.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const browser = await suiteBrowser();
const { site } = await buildScene(app);
const address = `${app.url}/docs`;

/**
 * Faults of Swagger UI's own elements, which are not ours to repair.
 * `color-contrast`: its badges, and the names of methods. `nested-interactive`: the titles of tags. `label-title-only` and
 * `select-name`: the choice of the server and of media types. `scrollable-region-focusable`: examples of answers.
 */
const faultsOfSwagger = ['color-contrast', 'nested-interactive', 'select-name', 'scrollable-region-focusable'];

test('/docs shows the reference of the common routes without a token', async () => {
  const open = await openPage(browser, address);
  const { page } = open;
  await page.locator('.opblock-summary-path', { hasText: '/readyz' }).waitFor();
  await takePicture(open, 'docs-wide');
  expect(open.requests.filter((url) => !/\/docs$|\/openapi\.json$|\/pages\/assets\/[\w.-]+$/.test(url))).toEqual([]);
  await expectAccessible(open, faultsOfSwagger);
  expectClean(open);
  await open.close();
});

test('/docs shows the channels of an entered token’s site, and sends the token with each call', async () => {
  const open = await openPage(browser, address, { width: 400, height: 800, colorScheme: 'dark' });
  const { page } = open;
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.locator('.auth-container input').fill(site.master);
  await page.locator('.auth-btn-wrapper .authorize').click();
  await page.locator('.auth-btn-wrapper .btn-done').click();
  const operation = page.locator('.opblock-get', { hasText: '/channels/articles/entries/count' }).first();
  await operation.locator('.opblock-summary-control').click();
  await operation.locator('.execute').click();
  await operation.locator('.live-responses-table', { hasText: '"count": 0' }).waitFor();
  await takePicture(open, 'docs-narrow');
  expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe(site.master);
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
  expect([...open.requests, page.url()].join('\n')).not.toMatch(tokenPattern);
  expectClean(open);
  await open.close();
});

test('/docs names a refused token as the reason', async () => {
  const open = await openPage(browser, address);
  const { page } = open;
  await page.locator('.opblock-summary-path', { hasText: '/readyz' }).waitFor();
  await page.getByLabel('Token', { exact: true }).fill('nonsense');
  await page.locator('#notice', { hasText: 'This is what every site has: ' }).waitFor();
  expect(open.faults.filter((fault) => !fault.includes('status of 401'))).toEqual([]);
  await open.close();
});
