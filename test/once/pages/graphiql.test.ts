// GraphiQL at /graphql: its documentation without a token, its queries with one, and what it keeps (docs/contract.md §20).
import { expect, test } from '@jest/globals';
import { tokenPattern } from '../../../src/base/redaction.ts';
import {
  expectAccessible,
  expectClean,
  openPage,
  suiteBrowser,
  takePicture,
  type OpenPage,
  type PageOptions,
} from '../../support/browser.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const browser = await suiteBrowser();
const { site } = await buildScene(app);
const address = `${app.url}/graphql`;

/**
 * Faults of GraphiQL's own elements, which are not ours to repair.
 * `color-contrast`: the names of types and arguments, and the numbers of lines. `link-in-text-block`: the types are links in
 * another colour. `nested-interactive`: a tab of the editor can be dragged, and has buttons.
 */
const faultsOfGraphiql = ['color-contrast', 'link-in-text-block', 'nested-interactive'];

/** Opens GraphiQL, and waits until its editor is there. */
async function openGraphiql(options: PageOptions = {}): Promise<OpenPage> {
  const open = await openPage(browser, address, options);
  await waitForEditor(open);
  return open;
}

async function waitForEditor({ page }: OpenPage): Promise<void> {
  await page.locator('.graphiql-query-editor .view-lines', { hasText: 'channels' }).waitFor();
}

/** Runs the query of the editor. @returns the headers that were sent, and the answer once it is shown */
async function run({ page }: OpenPage, path: string): Promise<{ headers: Record<string, string>; shown: string }> {
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith(path));
  await page.getByRole('button', { name: /Execute query/ }).click();
  const headers = await (await asked).allHeaders();
  const response = page.locator('.graphiql-response .view-lines', { hasText: /data|errors/ });
  await response.waitFor();
  return { headers, shown: (await response.textContent()) ?? '' };
}

test('GraphiQL shows the schema’s documentation without a token, and requests only its files', async () => {
  const open = await openGraphiql();
  const { page } = open;
  await page.getByRole('button', { name: /Documentation Explorer/ }).click();
  await page.locator('.graphiql-doc-explorer').getByRole('link', { name: 'Query', exact: true }).click();
  await page.locator('.graphiql-doc-explorer', { hasText: 'entries(' }).waitFor();
  await takePicture(open, 'graphiql-wide');
  expect(open.requests.filter((url) => !/\/graphql$|\/pages\/assets\/[\w.-]+$/.test(url))).toEqual([]);
  await expectAccessible(open, faultsOfGraphiql);
  expectClean(open);
  await open.close();
});

test('GraphiQL sends a query with the entered headers, and stores nothing beyond the tab', async () => {
  const open = await openGraphiql();
  const { page } = open;
  await page.getByLabel('Token').fill(` ${site.master} `);
  const { headers, shown } = await run(open, '/graphql');
  expect(shown).toMatch(/articles/);
  expect(headers).toMatchObject({ authorization: `Bearer ${site.master}` });
  // What was left empty is not sent.
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['x-service-site']));
  expect(Object.keys(headers)).not.toEqual(expect.arrayContaining(['session-token']));
  await page.getByLabel('Site', { exact: true }).fill(site.id);
  expect((await run(open, '/graphql')).headers).toMatchObject({ 'x-service-site': site.id });
  expect(await page.evaluate('JSON.stringify({ ...localStorage })')).toBe('{}');
  expect(await page.evaluate('sessionStorage.getItem("entryway.token")')).toBe(site.master);
  expect([...open.requests, page.url()].join('\n')).not.toMatch(tokenPattern);
  await page.reload();
  await waitForEditor(open);
  expect(await page.getByLabel('Token').inputValue()).toBe(site.master);
  await page.getByRole('button', { name: 'Forget' }).click();
  expect(await page.getByLabel('Token').inputValue()).toBe('');
  expect(await page.evaluate('sessionStorage.getItem("entryway.token")')).toBeNull();
  expectClean(open);
  await open.close();
});

test('GraphiQL links to Apollo’s Sandbox, with headers to fill in, and without a secret', async () => {
  const open = await openGraphiql();
  const { page } = open;
  const read = async (): Promise<readonly [string, string | null, unknown]> => {
    const href = (await page.getByRole('link', { name: 'Apollo Sandbox' }).getAttribute('href')) ?? '';
    expect(decodeURIComponent(href)).not.toMatch(/ew_/);
    const { origin, searchParams } = new URL(href);
    return [origin, searchParams.get('endpoint'), JSON.parse(searchParams.get('headers') ?? '')];
  };
  await page.getByLabel('Token').fill(site.master);
  const studio = 'https://studio.apollographql.com';
  expect(await read()).toEqual([studio, address, { Authorization: 'Bearer <your token>' }]);
  await page.getByLabel('Site', { exact: true }).fill(site.id);
  await page.getByLabel('Session', { exact: true }).fill('ew_session_x');
  await page.getByRole('link', { name: 'Your site' }).click();
  await page.locator('#notice', { hasText: 'No schema at /graphql/site: ' }).waitFor();
  expect(await read()).toEqual([
    studio,
    `${address}/site`,
    { Authorization: 'Bearer <your token>', 'X-Service-Site': site.id, 'Session-Token': '<the session>' },
  ]);
  await open.close();
});

test('GraphiQL loads the site’s schema with the token, and a line says why there is none', async () => {
  const open = await openGraphiql({ width: 400, height: 800, colorScheme: 'dark' });
  const { page } = open;
  const notice = page.locator('#notice');
  await page.getByRole('link', { name: 'Your site' }).click();
  await notice.getByText('Each site has a schema of its own').waitFor();
  expect(open.requests.filter((url) => url.includes('/graphql/site'))).toEqual([]);
  await takePicture(open, 'graphiql-narrow');
  await expectAccessible(open, faultsOfGraphiql);
  expectClean(open);
  await page.getByLabel('Token').fill('nonsense');
  await notice.getByText('No schema at /graphql/site: ').waitFor();
  // The browser itself reports the refusal.
  expect(open.strangers).toEqual([]);
  expect(open.faults.filter((fault) => !fault.includes('status of 401'))).toEqual([]);
  await page.getByRole('link', { name: 'Every site' }).click();
  await notice.waitFor({ state: 'hidden' });
  await open.close();
});

test('GraphiQL has documentation, queries and editors of the site’s schema', async () => {
  // What a browser is told at the address of the schema itself.
  const open = await openPage(browser, `${app.url}/graphql/site`);
  const { page } = open;
  await waitForEditor(open);
  expect(page.url()).toBe(`${address}#site`);
  await page.getByLabel('Token').fill(site.public);
  await page.getByRole('button', { name: /Documentation Explorer/ }).click();
  const docs = page.locator('.graphiql-doc-explorer');
  await docs.getByRole('link', { name: 'Query', exact: true }).click();
  await docs.getByRole('link', { name: 'articles', exact: true }).click();
  await docs.getByRole('link', { name: 'ArticlesWhere', exact: true }).waitFor();
  await takePicture(open, 'graphiql-site-wide');
  const { headers, shown } = await run(open, '/graphql/site');
  expect(headers).toMatchObject({ authorization: `Bearer ${site.public}` });
  expect(shown).toMatch(/articles/);
  const text = page.locator('.graphiql-query-editor .view-lines');
  await text.getByText('The types of this schema').waitFor();
  await page.getByRole('link', { name: 'Every site' }).click();
  await text.getByText('Enter a token above').waitFor();
  expect((await run(open, '/graphql')).shown).toMatch(/articles/);
  await page.getByRole('link', { name: 'Your site' }).click();
  await text.getByText('The types of this schema').waitFor();
  expect(await page.getByRole('link', { name: 'Your site' }).getAttribute('aria-current')).toBe('page');
  expect([...open.requests, page.url()].join('\n')).not.toMatch(tokenPattern);
  expectClean(open);
  await open.close();
});
