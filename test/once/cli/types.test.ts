// `entryway types` against the real service (docs/commands.md): for whom it prints which channels, and its refusals. What it
// prints of each field: test/pure/unit/channelTypes.test.ts.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { buildChannel, buildSite, buildUser } from '../../support/build.ts';
import { entryway, type Run } from '../../support/process.ts';

let app: TestApp;
let tokens: Record<'master' | 'public' | 'user', string>;

beforeAll(async () => {
  app = await startApp();
  const { prisma } = app.database;
  const site = await buildSite(prisma, { id: 'blog' });
  await buildChannel(prisma, 'blog', {
    id: 'notes',
    fields: [
      { name: 'title', type: 'string', required: true, label: 'The title' },
      { name: 'mood', type: 'select', options: ['calm', 'not calm'] },
      { name: 'source', type: 'reference', channel: 'secrets' },
    ],
  });
  await buildChannel(prisma, 'blog', { id: 'free' });
  await buildChannel(prisma, 'blog', {
    id: 'secrets',
    ...{ readScope: 'none', createScope: 'none' },
    fields: [{ name: 'combination', type: 'string' }],
  });
  tokens = { master: site.master, public: site.public, user: (await buildUser(prisma, { memberOf: ['blog'] })).token };
});
afterAll(() => app.close());

const run = (line: string, kind: keyof typeof tokens = 'master'): Promise<Run> =>
  entryway(['types', ...line.split(' ').filter((word) => word !== '')], {
    ...{ ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: tokens[kind] },
  });

/** The channels of the map that was printed. */
const channelsIn = ({ stdout }: Run): string[] =>
  [...stdout.slice(stdout.indexOf('interface Channels')).matchAll(/^ {2}"([^"]+)": \{$/gm)].map(([, id = '']) => id);

test('`entryway types` prints the channels that the token may know, the same each time', async () => {
  const all = await run('');
  expect([all.code, all.stderr, channelsIn(all)]).toEqual([0, '', ['free', 'notes', 'secrets']]);
  expect(all.stdout).toContain('  /** The title: Required in payloads. */\n  title: string | null;\n');
  expect(all.stdout).toContain('  mood: "calm" | "not calm" | null;\n');
  expect(all.stdout).toContain('references: { source: "secrets"; };');
  expect((await run('--site blog', 'user')).stdout).toBe(all.stdout);
  const visible = await run('', 'public');
  expect(channelsIn(visible)).toEqual(['free', 'notes']);
  expect(visible.stdout).toContain('references: { source: null; };');
  expect(visible.stdout).not.toMatch(/secrets|combination/i);
});

test('`entryway types` prints the named channels, and one document with --json', async () => {
  const named = await run('--channel notes --channel free --channel notes');
  expect(channelsIn(named)).toEqual(['free', 'notes']);
  const { code, stdout } = await run('--channel free --channel notes --json');
  expect([code, JSON.parse(stdout)]).toEqual([0, { types: named.stdout }]);
});

test.each([
  ['--channel No', 'master', 2, /can't be a channel's id/],
  ['--channel', 'master', 2, /--channel/],
  ['--channel notes --channel nowhere', 'master', 1, /There is no channel "nowhere"/],
  ['--channel secrets', 'public', 1, /There is no channel "secrets"/],
  ['', 'user', 1, /X-Service-Site/],
] as const)('`entryway types` %s with a %s token ends with %s', async (line, kind, code, message) => {
  const ended = await run(line, kind);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr.trimEnd()).not.toContain('\n');
});
