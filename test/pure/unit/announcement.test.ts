// The output of a start: a text on a terminal, and elsewhere one line of JSON.
import { expect, test } from '@jest/globals';
import { announcement } from '../../../src/cli/serve/announcement.ts';

const tokens = { master: 'ew_master_a', public: 'ew_public_b', user: 'ew_user_c' };
const site = { site: 'demo', user: 'demo@example.com' };
const database = { kind: 'embedded', directory: '/srv/data' } as const;
const start = { url: 'http://127.0.0.1:4000', console: true, database };

test.each([
  ['no demo site', null],
  ['a demo site without tokens', { ...site, tokens: null, link: null }],
])('a start outside a terminal, with %s, prints one log line that explains how to get a token', (_what, demo) => {
  const { text } = announcement({ ...start, demo }, false);
  expect(text).not.toContain('\n');
  expect(JSON.parse(text)).toMatchObject({
    ...{ level: 30, msg: 'Entryway serves at http://127.0.0.1:4000', url: start.url, database },
    hint: expect.stringContaining(`npx entryway token create --kind master --site ${demo ? 'demo' : '<id>'}`),
  });
});

test('a start outside a terminal with requested tokens prints one line with them and the requests to try', () => {
  const { text } = announcement({ ...start, demo: { ...site, tokens, link: 'ew_link_d' } }, false);
  expect(text).not.toContain('\n');
  const line = JSON.parse(text) as { tokens: object; link: string; requests: { command: string }[] };
  expect([line.tokens, line.requests.length]).toEqual([tokens, 4]);
  expect(line.link).toBe('http://127.0.0.1:4000/console/invitation#ew_link_d');
});

test('a start on a terminal prints a text, with the tokens if there are some', () => {
  expect(announcement({ ...start, demo: { ...site, tokens, link: 'ew_link_d' } }, true).text).toContain(
    'export MASTER=ew_master_a',
  );
  const behind = { ...start, publicUrl: 'https://example.com/content/', demo: { ...site, tokens, link: 'ew_link_d' } };
  expect(announcement(behind, true).text).toContain('\n  https://example.com/content/console/invitation#ew_link_d\n');
  const { text } = announcement({ ...start, demo: null }, true);
  expect(text).toMatch(/^Entryway serves at .*\n[^]*\n {2}npx entryway token create/);
});
