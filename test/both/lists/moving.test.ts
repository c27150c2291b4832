// Pages by cursor while other entries come and go: those that stay are each on one page, in order (docs/contract.md §5).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { as, type RestAnswer } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite } from '../../support/build.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ RATE_LIMIT: 'off' });
});
afterAll(() => app.close());

const fields = [
  { name: 'n', type: 'integer' as const, indexed: true },
  { name: 'word', type: 'string' as const },
];

test.each(['n', '-n', 'word', '-word,n', 'created_at', '-n,word'])('sort=%s', async (sort) => {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const channel = await buildChannel(db, site.id, { id: 'things', fields });
  const staying = new Set<string>();
  for (let at = 0; at < 60; at += 1) {
    const data = at % 5 === 0 ? {} : { n: at % 7, word: `w${at % 4}` };
    staying.add((await buildEntry(db, channel, { data })).id);
  }
  const caller = as(app, { token: site.master });
  const read = async (): Promise<string[]> => {
    const found: string[] = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const at = cursor === '' ? '' : `&cursor=${cursor}`;
      const path = `/channels/things/entries?sort=${sort}&per_page=7${at}`;
      const page: RestAnswer<{ id: string }[]> = await caller.rest('GET', path);
      expect(page.status).toBe(200);
      found.push(...page.body.map(({ id }) => id));
      cursor = page.headers.get('x-next-cursor');
    }
    return found;
  };
  const before = (await read()).filter((id) => staying.has(id));
  let isReading = true;
  let passing = 0;
  const disturb = async (): Promise<void> => {
    while (isReading) {
      const { id } = await buildEntry(db, channel, { data: { n: passing % 7, word: `w${passing % 4}` } });
      if (passing % 2 === 0) await caller.rest('DELETE', `/channels/things/entries/${id}`);
      passing += 1;
    }
  };
  const disturbing = disturb();
  const meanwhile = await read();
  isReading = false;
  await disturbing;
  expect(passing).toBeGreaterThan(2);
  expect(new Set(meanwhile).size).toBe(meanwhile.length);
  expect(meanwhile.filter((id) => staying.has(id))).toEqual(before);
});
