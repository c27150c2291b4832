// A browser that opens the endpoint gets a page, and Apollo's hosted Sandbox, to which it links, may call from its own
// origin. That the page holds no token, and is off in production: test/once/security/advisories.browsers.test.ts (V25).
import { describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { send } from '../../support/as.ts';
import { buildSite } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const browser = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };

const app = await suiteApp();

describe('in development', () => {
  test('/graphql sends the page to a browser in development', async () => {
    const page = await send(app, 'GET', '/graphql', { headers: browser });
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringMatching(/^text\/html\b/)]);
    expect(page.headers.get('cache-control')).toContain('private');
  });

  test('/graphql sends no page to a client that accepts no HTML', async () => {
    for (const Accept of [
      'application/json',
      '*/*',
      'application/graphql-response+json',
      'application/json, text/html;q=0.5',
    ]) {
      const answer = await send(app, 'GET', '/graphql?query={channels{id}}', { headers: { Accept } });
      expect([Accept, answer.status]).toEqual([Accept, 401]);
      expect(answer.headers.get('content-type')).toMatch(/json/);
    }
  });

  test('/graphql sends no page to a POST', async () => {
    const headers = { ...browser, 'Content-Type': 'application/json' };
    const answer = await send(app, 'POST', '/graphql', { headers, body: '{"query":"{channels{id}}"}' });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, expect.stringMatching(/json/)]);
  });
});

describe('calls from the hosted Sandbox', () => {
  const hosted = 'https://studio.apollographql.com';
  const wanted = ['authorization', 'content-type', 'session-token', 'x-service-site'];

  /** The origin that a preflight for a query, and the query itself, are allowed for; both tell the same. */
  async function originAllowed({ url, database }: TestApp, origin: string): Promise<string | null> {
    const preflight = await send({ url }, 'OPTIONS', '/graphql', {
      headers: {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': wanted.join(','),
      },
    });
    const allowed = preflight.headers.get('access-control-allow-origin');
    expect(preflight.status).toBe(204);
    if (allowed !== null) {
      expect(preflight.headers.get('access-control-allow-methods')).toMatch(/\bPOST\b/);
      const names = preflight.headers.get('access-control-allow-headers')?.toLowerCase().split(/, */);
      expect(names).toEqual(expect.arrayContaining(wanted));
    }
    const { master } = await buildSite(database.prisma);
    const answer = await send({ url }, 'POST', '/graphql', {
      headers: { Origin: origin, Authorization: `Bearer ${master}`, 'Content-Type': 'application/json' },
      body: '{"query":"{channels{id}}"}',
    });
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([200, allowed]);
    for (const { headers } of [preflight, answer]) {
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('vary')?.toLowerCase().split(/, */)).toEqual(expect.arrayContaining(['origin']));
    }
    return allowed;
  }

  test.each([
    ['development', hosted],
    ['production', null],
  ])('the hosted Sandbox in %s, beside other CORS_ORIGINS, is allowed as origin: %s', async (NODE_ENV, expected) => {
    const strict = await startApp({ NODE_ENV, CORS_ORIGINS: 'https://good.example' });
    try {
      expect(await originAllowed(strict, hosted)).toBe(expected);
      expect(await originAllowed(strict, 'https://good.example')).toBe('https://good.example');
      for (const origin of [`${hosted}.evil.example`, 'http://studio.apollographql.com', 'https://apollographql.com']) {
        expect([origin, await originAllowed(strict, origin)]).toEqual([origin, null]);
      }
    } finally {
      await strict.close();
    }
  });
});
