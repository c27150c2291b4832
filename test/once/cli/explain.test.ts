// `entryway explain` against the real service (docs/commands.md): its text for people, its document, and its refusals.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { entryway, type Run } from '../../support/process.ts';

let app: TestApp;
let tokens: Record<'master' | 'public' | 'user', string>;

beforeAll(async () => {
  app = await startApp();
  const { prisma } = app.database;
  const site = await buildSite(prisma, { id: 'blog' });
  await buildCustomer(prisma, 'blog', { id: 'ada', roles: ['editor'] });
  const scopes = { createScope: 'shared', readScope: 'private', updateScope: 'none' } as const;
  const channel = await buildChannel(prisma, 'blog', { id: 'notes', publishable: true, ...scopes });
  const acl = { 'role:editor': { read: true }, '*': { read: false, update: true } };
  const publishAt = new Date('2999-01-01');
  await buildEntry(prisma, channel, { slug: 'later', status: 'scheduled', publishAt, acl });
  await buildEntry(prisma, channel, { slug: 'draft', status: 'draft' });
  await buildEntry(prisma, channel, { slug: 'shared', status: 'draft', acl: { '*': { read: true } } });
  const { token: user } = await buildUser(prisma, { memberOf: ['blog'] });
  tokens = { master: site.master, public: site.public, user };
});
afterAll(() => app.close());

const run = (line: string, kind: keyof typeof tokens = 'master'): Promise<Run> =>
  entryway(['explain', ...line.split(' ')], { ENTRYWAY_URL: app.url, ENTRYWAY_TOKEN: tokens[kind] });

test('`entryway explain` lists the actors’ rights in an entry, with their reasons', async () => {
  const { code, stdout, stderr } = await run('later --channel notes --as customer:ada');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toBe(`ACTION   ALLOWED  BECAUSE                                                 KEYS THAT MATCH
read     yes      the entry grants it to role:editor                      *: false, role:editor: true
update   no       the channel's scope is none, whatever the entry grants
delete   no       the channel's scope is none, whatever the entry grants
create   yes      the channel's scope is shared
publish  no       only master tokens and a right allow it

Publication: hidden until 2999-01-01T00:00:00Z. A fetch answers 404.
`);
  const later = await run('later --channel notes --as roles:editor --at 2999-01-01T00:00:00Z');
  expect(later.stdout).toContain('Publication: visible since 2999-01-01T00:00:00Z. A fetch finds the entry.');
  const draft = await run('draft --channel notes --as anonymous');
  expect(draft.stdout).toContain("no key decides, and the channel's scope is private");
  expect(draft.stdout).toContain('Publication: hidden, as a draft. A fetch answers 404.');
});

test('`entryway explain` with a user token explains visible entries, and calls a hidden one unknown', async () => {
  const shared = await run('shared --channel notes --as anonymous --site blog', 'user');
  expect(shared.stdout).toContain('the entry grants it to *');
  const draft = await run('draft --channel notes --as anonymous --site blog', 'user');
  expect([draft.code, draft.stdout]).toEqual([1, '']);
  expect(draft.stderr).toContain('There is no such entry.');
});

test('`entryway explain --json` prints the explanation of the API', async () => {
  const { code, stdout } = await run('later --channel notes --as anonymous --json');
  const answer = await fetch(`${app.url}/channels/notes/entries/later/access?as=anonymous`, {
    headers: { Authorization: `Bearer ${tokens.master}` },
  });
  expect([code, JSON.parse(stdout)]).toEqual([0, await answer.json()]);
});

test.each([
  ['later --channel notes --as ada', 'master', 2, /--as must be anonymous/],
  ['later --channel notes', 'master', 2, /--as/],
  ['later --channel No --as anonymous', 'master', 2, /can't be a channel's id/],
  ['later --channel notes --as anonymous --at tomorrow', 'master', 1, /must be an ISO 8601 time/],
  ['later --channel notes --as customer:nobody', 'master', 1, /there is no customer "nobody"/],
  ['nowhere --channel notes --as anonymous', 'master', 1, /There is no such entry/],
  ['later --channel nowhere --as anonymous', 'master', 1, /There is no such channel/],
  ['later --channel notes --as anonymous', 'public', 1, /needs a master or a user token/],
] as const)('`entryway explain` %s with a %s token ends with %s', async (line, kind, code, message) => {
  const ended = await run(line, kind);
  expect([ended.code, ended.stdout]).toEqual([code, '']);
  expect(ended.stderr).toMatch(message);
  expect(ended.stderr.trimEnd()).not.toContain('\n');
});
