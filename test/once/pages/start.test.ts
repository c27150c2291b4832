// The start page, and what all pages have in common: how they are cached, what they may load, and where they are off
// (docs/contract.md §20).
import { describe, expect, test } from '@jest/globals';
import { compressFile, readAsset, readPage } from '../../../src/browser/files.ts';
import { startApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { expectAccessible, expectClean, openPage, suiteBrowser, takePicture } from '../../support/browser.ts';
import { noteFigures, readFigures } from '../../support/figures.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const browser = await suiteBrowser();
const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
const json = 'application/json; charset=utf-8';

describe('GET /', () => {
  test.each([
    ['wide', { width: 1280 }],
    ['narrow', { width: 400, colorScheme: 'dark' as const }],
  ])('GET / sends browsers a page that links to the others: %s', async (name, options) => {
    const open = await openPage(browser, `${app.url}/`, options);
    const { page } = open;
    await page.locator('#version', { hasText: /^\d+\.\d+\.\d+/ }).waitFor();
    await takePicture(open, `start-${name}`);
    await expectAccessible(open);
    await page.getByLabel('Token').fill('ew_kept');
    await page.getByRole('link', { name: 'GraphQL', exact: true }).click();
    await page.getByRole('button', { name: /Execute query/ }).waitFor();
    expect([page.url(), await page.getByLabel('Token').inputValue()]).toEqual([`${app.url}/graphql`, 'ew_kept']);
    expectClean(open);
    await open.close();
  });

  test('GET / sends other clients JSON with the existing links', async () => {
    for (const headers of [{ Accept: '*/*' }, { Accept: 'application/json' }, {}]) {
      const answer = await send(app, 'GET', '/', { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, json]);
      const { name, version, links } = JSON.parse(answer.text) as Record<string, Record<string, string>>;
      expect([name, version]).toEqual(['entryway', expect.stringMatching(/^\d+\.\d+\.\d+/)]);
      for (const [link, path] of [
        ['graphql', '/graphql'],
        ['graphql_site', '/graphql/site'],
        ['openapi', '/openapi.json'],
        ['changes', '/changes'],
        ['docs', '/docs'],
        ['console', '/console'],
      ]) {
        expect(links?.[link ?? '']).toBe(`${app.url}${path ?? ''}`);
      }
      for (const link of Object.values(links ?? {}))
        expect((await fetch(link, { headers: html })).status).not.toBe(404);
    }
  });

  test('HEAD / is GET without a body, OPTIONS lists the methods, and others are refused', async () => {
    const head = await send(app, 'HEAD', '/', { headers: html });
    expect([head.status, head.headers.get('content-type'), head.text]).toEqual([200, 'text/html; charset=utf-8', '']);
    expect(head.headers.get('vary')).toMatch(/^Accept,/);
    const graphiql = await send(app, 'HEAD', '/graphql', { headers: html });
    expect([graphiql.status, graphiql.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    // Whoever asks for JSON has to have a token, as with GET.
    expect((await send(app, 'HEAD', '/graphql', { headers: { Accept: 'application/json' } })).status).toBe(401);
    for (const path of ['/', '/docs', '/console', '/console/invitation', '/pages/assets/none.js']) {
      const options = await send(app, 'OPTIONS', path);
      expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, OPTIONS']);
      expect((await send(app, 'POST', path, { body: '{}' })).status).toBe(405);
    }
  });
});

/** A file of the pages, as it comes in an encoding; its text is decoded. */
async function encoded(file: string, encoding: string): Promise<{ encoding: string | null; text: string }> {
  const answer = await fetch(`${app.url}/${file}`, { headers: { 'Accept-Encoding': encoding } });
  expect(answer.headers.get('vary')).toMatch(/Accept-Encoding/);
  return { encoding: answer.headers.get('content-encoding'), text: await answer.text() };
}

describe('pages', () => {
  test.each(['/', '/graphql', '/docs', '/console', '/console/invitation'])(
    'the page %s may load only files of this service, and may not be framed',
    async (path) => {
      const { headers, status } = await send(app, 'GET', path, { headers: html });
      const policy = headers.get('content-security-policy') ?? '';
      expect([status, headers.get('x-frame-options')]).toEqual([200, 'DENY']);
      expect(policy).toContain("default-src 'none'; script-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe-eval|https?:|\*/);
      expect(headers.get('cache-control')).toBe('private, no-cache');
    },
  );

  test('the files of pages are cached, and no other file is served', async () => {
    const page = await send(app, 'GET', '/', { headers: html });
    const files = [...page.text.matchAll(/(?:src|href)="(pages\/assets\/[^"]+)"/g)].map(([, file = '']) => file);
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      const { status, headers } = await send(app, 'GET', `/${file}`);
      expect([status, headers.get('cache-control')]).toEqual([200, 'public, max-age=31536000, immutable']);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      // The first asks for it to be compressed, the others get what was kept of that.
      const plain = await encoded(file, 'identity');
      for (const encoding of ['br', 'br', 'gzip']) {
        expect(await encoded(file, encoding)).toEqual({
          ...plain,
          encoding: plain.text.length < 1_024 ? null : encoding,
        });
      }
    }
    for (const path of [
      `${'a'.repeat(300)}.js`,
      'none.js',
      '..%2fhome%2findex.html',
      '%2e%2e%2fsources.sha256',
      '..%2f..%2fmain.js',
    ]) {
      expect([path, (await send(app, 'GET', `/pages/assets/${path}`)).status]).toEqual([path, 404]);
    }
  });

  test('a thousand concurrent answers with a file share its bytes', async () => {
    const page = await send(app, 'GET', '/', { headers: html });
    const [, name = ''] = /pages\/assets\/([^"]+\.js)"/.exec(page.text) ?? [];
    const [first, ...others] = await Promise.all(Array.from({ length: 1_000 }, () => readAsset(name)));
    if (!first) throw new Error('The pages are not built.');
    expect(others.every((other) => other?.bytes === first.bytes)).toBe(true);
    expect((await readAsset(name))?.bytes).toBe(first.bytes);
    expect((await readPage('home'))?.bytes).toBe((await readPage('home'))?.bytes);
    for (const encoding of ['br', 'gzip'] as const) {
      const [one, other] = await Promise.all([compressFile(first, encoding), compressFile(first, encoding)]);
      expect(other).toBe(one);
      expect(await compressFile(first, encoding)).toBe(one);
    }
    expect([await readAsset('none.js'), await readPage('none')]).toEqual([null, null]);
  });

  test('a page of the back button does not show a forgotten token', async () => {
    const open = await openPage(browser, `${app.url}/`);
    const { page } = open;
    await page.locator('#version', { hasText: /^\d/ }).waitFor();
    await page.getByLabel('Token').fill('ew_kept');
    // Another page of the tab forgets it, and then the browser shows this one as it was left.
    await page.evaluate('sessionStorage.clear()');
    const loaded = page.waitForEvent('load');
    await page.evaluate(
      `void setTimeout(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))`,
    );
    await loaded;
    await page.locator('#version', { hasText: /^\d/ }).waitFor();
    expect(await page.getByLabel('Token').inputValue()).toBe('');
    expectClean(open);
    await open.close();
  });

  test('the page of the site’s schema is a tab of GraphiQL, for browsers alone', async () => {
    const opened = await fetch(`${app.url}/graphql/site`, { headers: html, redirect: 'manual' });
    expect([opened.status, opened.headers.get('location')]).toEqual([302, '../graphql#site']);
    expect(opened.headers.get('vary')).toMatch(/^Accept,/);
    const head = await fetch(`${app.url}/graphql/site`, { method: 'HEAD', headers: html, redirect: 'manual' });
    expect([head.status, head.headers.get('location')]).toEqual([302, '../graphql#site']);
    const asked = await fetch(`${app.url}/graphql/site`, { headers: { Accept: '*/*' }, redirect: 'manual' });
    expect([asked.status, asked.headers.get('content-type')]).toEqual([401, json]);
  });

  test.each(['/', '/graphql', '/docs', '/console', '/console/invitation'])(
    'the page %s is painted, and its times are measured',
    async (path) => {
      const open = await openPage(browser, `${app.url}${path}`);
      const figures = await readFigures(open);
      expect(figures.firstPaint).toBeGreaterThan(0);
      expect(figures.files).toBeGreaterThan(1);
      noteFigures(path, figures);
      await open.close();
    },
  );

  test('the test detects a violation of the policy', async () => {
    const open = await openPage(browser, `${app.url}/`);
    await open.page.evaluate(`
      const script = document.createElement('script');
      script.textContent = 'document.title = "run"';
      document.body.append(script);
      fetch('http://elsewhere.example/').catch(() => undefined);
    `);
    expect(await open.page.title()).toBe('Entryway');
    expect(open.faults).toContainEqual(expect.stringMatching(/inline script.*Content Security Policy/));
    expect(open.faults).toContainEqual(expect.stringMatching(/elsewhere\.example.*Content Security Policy/));
    await open.close();
  });

  test.each([
    ['production', { NODE_ENV: 'production' }],
    ['CONSOLE=off', { CONSOLE: 'off' }],
  ])('pages are off with %s: their paths are 404', async (_, environment) => {
    const closed = await startApp(environment, app.database);
    try {
      for (const path of ['/', '/docs', '/console', '/console/invitation', '/docs/', '/pages/assets/none.js']) {
        const { status, text } = await send(closed, 'GET', path, { headers: html });
        expect([path, status]).toEqual([path, 404]);
        expect(text).toContain('"detail":"There is nothing at this path."');
      }
      const graphql = await send(closed, 'GET', '/graphql', { headers: html });
      expect([graphql.status, graphql.headers.get('content-type')]).toEqual([401, json]);
    } finally {
      await closed.close();
    }
  });

  test('pages are served in production with CONSOLE=on', async () => {
    const opened = await startApp({ NODE_ENV: 'production', CONSOLE: 'on' }, app.database);
    try {
      for (const path of ['/', '/graphql', '/docs', '/console', '/console/invitation']) {
        const { status, headers } = await send(opened, 'GET', path, { headers: html });
        expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'text/html; charset=utf-8']);
      }
    } finally {
      await opened.close();
    }
  });
});
