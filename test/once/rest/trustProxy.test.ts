// What stands in X-Forwarded-* headers: believed of trusted proxies, and of nobody else (V26).
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { startApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, type TestSite } from '../../support/build.ts';
import { testDatabase } from '../../support/db.ts';
import { expectEntry } from '../../support/expect.ts';

const path = '/channels/articles/entries/one';
const headers = {
  'X-Forwarded-For': '198.51.100.7',
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Host': 'content.example',
};

let database: PlainDatabase;
let site: TestSite;
beforeAll(async () => {
  database = await testDatabase();
  site = await buildSite(database.prisma);
  const channel = await buildChannel(database.prisma, site.id, { id: 'articles' });
  await buildEntry(database.prisma, channel, { slug: 'one' });
});
afterAll(() => database.close());

/** The address that links have, for a request with forged or forwarded headers. */
async function linked(environment: Record<string, string>): Promise<{ link: string; own: string }> {
  const app = await startApp(environment, database);
  const answer = await as(app, { token: site.public }).rest('GET', path, { headers });
  await app.close();
  return { link: new URL(expectEntry(answer).url).origin, own: app.url };
}

describe('links', () => {
  test.each([
    [{}],
    [{ TRUST_PROXY: '192.0.2.1' }],
    [{ TRUST_PROXY: '192.0.2.0/24,2001:db8::/32' }],
    [{ TRUST_PROXY: '0' }],
  ])('links have the address of the request itself with %j', async (environment: Record<string, string>) => {
    const { link, own } = await linked(environment);
    expect(link).toBe(own);
  });

  test.each([[{ TRUST_PROXY: '1' }], [{ TRUST_PROXY: 'loopback' }], [{ TRUST_PROXY: '127.0.0.1, ::1' }]])(
    'links have the address that the proxy forwards with %j',
    async (environment: Record<string, string>) => {
      expect((await linked(environment)).link).toBe('https://content.example');
    },
  );

  test('links have PUBLIC_URL despite a forwarded address', async () => {
    const { link } = await linked({ TRUST_PROXY: '1', PUBLIC_URL: 'https://public.example' });
    expect(link).toBe('https://public.example');
  });
});
