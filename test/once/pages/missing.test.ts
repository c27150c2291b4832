// Addresses that there are not, as browsers and programs are answered (docs/contract.md §20), and the icons of the pages.
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const html = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

describe('missing addresses', () => {
  test.each([
    ['/console/', '../console'],
    ['/docs/', '../docs'],
    ['/graphql/', '../graphql'],
    ['/graphql/site/', '../../graphql/site'],
  ])(
    'the address %s leads a browser to the page, and tells programs to leave out the slash',
    async (path, location) => {
      const answer = await send(app, 'GET', path, { headers: html });
      expect([answer.status, answer.headers.get('location')]).toEqual([302, location]);
      const program = await send(app, 'GET', path);
      expect([program.status, program.text]).toEqual([404, expect.stringContaining('Leave out the slash')]);
    },
  );

  test('a missing address sends browsers a page with links, and programs a problem', async () => {
    const { host } = new URL(app.url);
    for (const path of ['/nothing', '/nothing/<b>/here']) {
      const { status, headers, text } = await send(app, 'GET', path, { headers: html });
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8']);
      expect(headers.get('content-security-policy')).toContain("script-src 'self';");
      expect(headers.get('vary')).toMatch(/^Accept,/);
      expect(text).not.toMatch(/<script|nothing\b.*here/);
      expect(text).not.toContain(host);
      const [, start = ''] = /href="([^"]*)">Start</.exec(text) ?? [];
      expect(new URL(start, app.url + path).href).toBe(`${app.url}/`);
    }
    for (const [method, headers] of [
      ['GET', {}],
      ['POST', html],
    ] as const) {
      const answer = await send(app, method, '/nothing', { headers });
      expect([answer.status, answer.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json; charset=utf-8',
      ]);
    }
    const head = await send(app, 'HEAD', '/nothing', { headers: html });
    expect([head.status, head.text]).toEqual([404, '']);
  });

  test('a missing address sends browsers a problem if the pages are off', async () => {
    const off = await startApp({ CONSOLE: 'off' });
    for (const path of ['/nothing', '/console/']) {
      const { status, headers } = await send(off, 'GET', path, { headers: html });
      expect([status, headers.get('content-type')]).toEqual([404, 'application/problem+json; charset=utf-8']);
    }
    await off.close();
  });

  test('each page has its own icon', async () => {
    for (const path of ['/', '/graphql', '/docs', '/console', '/console/invitation']) {
      const { text } = await send(app, 'GET', path, { headers: html });
      const [, icon = ''] = /<link rel="icon"[^>]* href="(?:\.\.\/)?(pages\/assets\/[^"]+\.svg)"/.exec(text) ?? [];
      const { status, headers } = await send(app, 'GET', `/${icon}`);
      expect([path, status, headers.get('content-type')]).toEqual([path, 200, 'image/svg+xml; charset=utf-8']);
    }
  });
});
