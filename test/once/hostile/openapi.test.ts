// The cost of `GET /openapi.json` (docs/contract.md §11): the document of a large site has a bounded size, and is made once.
import { describe, expect, test } from '@jest/globals';
import { v7 as uuidv7 } from 'uuid';
import { startApp } from '../../support/app.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildSite } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { suiteWatchedApp } from '../../support/scene.ts';

const app = await suiteWatchedApp();
const db = app.database.prisma;
const site = await buildSite(db);
const master = as(app, { token: site.master });

describe('200 channels of 100 fields', () => {
  test('200 channels of 100 fields have a document of less than 16 MB, which is made once for all callers', async () => {
    const fields = Array.from({ length: 100 }, (_each, number) => ({
      name: `field_number_${number}`,
      type: (['string', 'integer', 'datetime', 'strings', 'reference'] as const)[number % 5] ?? 'string',
      channel: number % 5 === 4 ? 'channel-0' : null,
    }));
    const {
      uid: _uid,
      id: _id,
      sight: _sight,
      fieldRules: _rules,
      layout: _layout,
      changedBy: _author,
      ...settings
    } = await buildChannel(db, site.id, { id: 'channel-0', fields });
    await db.channel.createMany({
      data: Array.from({ length: 199 }, (_each, number) => ({
        ...settings,
        fields: settings.fields ?? [],
        uid: uuidv7(),
        id: `channel-${number + 1}`,
      })),
    });
    app.statements();
    const answers = await Promise.all([1, 2, 3].map(() => master.rest('GET', '/openapi.json')));
    const loads = (): number => app.statements().filter((each) => each.includes('octet_length(c.fields')).length;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(loads()).toBe(1);
    const [first] = answers;
    expect(Buffer.byteLength(first?.text ?? '')).toBeLessThan(16_000_000);
    expect(first?.text).toContain('"/channels/channel-199/entries"');
    const again = await master.rest('GET', '/openapi.json');
    expect([again.text === first?.text, loads()]).toEqual([true, 0]);
    const tag = again.headers.get('etag') ?? '';
    const unchanged = await master.rest('GET', '/openapi.json', { headers: { 'If-None-Match': tag } });
    expect([unchanged.status, loads()]).toEqual([304, 0]);
  }, 600_000);
});

test.each([
  ['the fields', 100_000],
  ['the document', 6_000_000],
])(
  'an OpenAPI document is refused if %s would exceed ANSWER_LIMIT',
  async (_what, limit) => {
    const small = await startApp({ RATE_LIMIT: 'off', ANSWER_LIMIT: String(limit) }, app.database);
    try {
      expectProblem(await as(small, { token: site.master }).rest('GET', '/openapi.json'), 'answer_too_large');
    } finally {
      await small.close();
    }
  },
  600_000,
);
