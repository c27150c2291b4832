// GraphiQL at /graphql: its documentation without a token, its queries with one, and what it keeps (docs/contract.md §14).
import { describe, expect, test } from '@jest/globals';
import { buildEntry } from '../../support/build.ts';
import {
  expectAccessible,
  expectClean,
  openPage,
  suiteBrowser,
  takePicture,
  type OpenPage,
} from '../../support/browser.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const browser = await suiteBrowser();
const scene = await buildScene(app);
const address = `${app.url}/graphql`;

/** Runs the first query, and waits for its answer to show a text. */
async function run({ page }: OpenPage, expected: string): Promise<void> {
  await page.getByRole('button', { name: /Execute query/ }).click();
  await page.locator('.graphiql-response', { hasText: expected }).waitFor();
}

describe('GraphiQL', () => {
  test('shows the documentation of the schema without a token, and asks for nothing but its files', async () => {
    const open = await openPage(browser, address);
    const { page } = open;
    await page.getByRole('button', { name: /Documentation Explorer/ }).click();
    await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByText('entries', { exact: true }).first().waitFor();
    await takePicture(open, 'graphiql-documentation');
    expect(open.requests.filter((url) => !/\/graphql$|\/pages\/assets\//.test(url))).toEqual([]);
    expectClean(open);
    await open.close();
  });

  test('runs a query with the token, and keeps it in the tab alone', async () => {
    const open = await openPage(browser, address);
    const { page } = open;
    await page.getByLabel('Token').fill(scene.site.public);
    await run(open, 'articles');
    await takePicture(open, 'graphiql-wide');
    console.log(await page.evaluate('JSON.stringify({local: {...localStorage}, session: {...sessionStorage}})'));
    expectClean(open);
    await open.close();
  });
});
