// The commands: they take no token, they need the database itself, and none but `token create`,
// `token rotate`, `user link` and `member invite` tells a secret; `serve`,
// which tells those of the demo site once, is tested in test/embedded/serve.test.ts.
import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { tokenPattern } from '../../../src/base/redaction.ts';
import { workplace, type Workplace } from '../../support/workplace.ts';
import { buildSite, buildToken, buildUser, type TestSite } from '../../support/build.ts';
import { commands } from '../../support/doors.ts';

let place: Workplace;
let site: TestSite;
let userToken: string;
let spareToken: string;
beforeAll(async () => {
  place = await workplace();
  await place.inside(async ({ prisma }) => {
    site = await buildSite(prisma, { id: 'blog' });
    const user = await buildUser(prisma, { memberOf: ['blog'] });
    userToken = user.token;
    await prisma.user.update({ where: { id: user.id }, data: { email: 'ada@example.com' } });
    spareToken = (await buildToken(prisma, { kind: 'public', siteId: 'blog' })).id;
  });
});
afterAll(() => place.remove());

/** Each command as somebody would give it, and something of the database that it tells. */
const lines: Record<string, { line: () => string; input?: string; tells: RegExp }> = {
  migrate: { line: () => 'migrate', tells: /applied/ },
  'migrate status': { line: () => 'migrate status', tells: /applied/ },
  'site create': { line: () => 'site create shop', tells: /shop/ },
  'site list': { line: () => 'site list', tells: /blog/ },
  'site show': { line: () => 'site show blog', tells: /"entries":0/ },
  'site export': { line: () => 'site export blog -o blog.gz', tells: /"exported":/ },
  'site import': { line: () => 'site import blog.gz --as copy', tells: /"imported":/ },
  'site delete': { line: () => 'site delete shop --confirm shop', tells: /"deleted"/ },
  'user create': { line: () => 'user create --email bob@example.com', tells: /bob@example/ },
  'user list': { line: () => 'user list', tells: /ada@example/ },
  'member add': { line: () => 'member add --site blog --user ada@example.com', tells: /"changed":false/ },
  'user password': {
    line: () => 'user password --email bob@example.com',
    input: 'correct horse battery\n',
    tells: /"sign_ins":0/,
  },
  'user link': { line: () => 'user link --email bob@example.com', tells: /#ew_link_/ },
  'user sign-out': { line: () => 'user sign-out --email bob@example.com', tells: /"tokens":0/ },
  'user delete': { line: () => 'user delete --email bob@example.com --confirm bob@example.com', tells: /"deleted"/ },
  'member invite': {
    line: () => 'member invite --site blog --email guest@example.com --role viewer',
    tells: /#ew_link_/,
  },
  'member list': { line: () => 'member list --site blog', tells: /ada@example/ },
  'member remove': { line: () => 'member remove --site blog --user ada@example.com', tells: /"changed":true/ },
  'role set': { line: () => 'role set news --site blog --right update --right create', tells: /"created":true/ },
  'role list': { line: () => 'role list --site blog', tells: /"id":"news"/ },
  'role delete': { line: () => 'role delete news --site blog --confirm news', tells: /"members":0/ },
  'provider add': {
    line: () =>
      'provider add acme --issuer https://id.example.com --client-id entryway --domains example.com,example.org',
    input: 'a secret that nothing prints\n',
    tells:
      /"domains":\["example.com","example.org"\],"redirect_uri":"http:\/\/localhost:\d+\/auth\/oidc\/acme\/callback"/,
  },
  'provider list': { line: () => 'provider list', tells: /^(?!.*a secret)(?=.*"links":0)/ },
  'provider remove': { line: () => 'provider remove acme', tells: /"links":0,"sign_ins":0/ },
  'token create': { line: () => 'token create --kind master --site blog', tells: /"kind":"master"/ },
  'token list': { line: () => 'token list', tells: /"site":"blog"/ },
  'token rotate': { line: () => `token rotate ${spareToken}`, tells: /"replaces":/ },
  'token revoke': { line: () => `token revoke ${spareToken}`, tells: /revoked_at":"/ },
  audit: { line: () => 'audit --site blog', tells: /"action":"rotated"/ },
};

/** The commands that are callers of the service: they take a token, and leave the database alone. */
const overHttp = ['import', 'export', 'sync', 'explain', 'schema', 'types'];

/** Those of the embedded database, which no other is for: test/embedded/backup.test.ts. */
const embedded = ['backup', 'restore'];

/** Options that sound like secrets, and take no value: a password is typed, or read from standard input. */
const flags: Readonly<Record<string, readonly string[]>> = {
  'user create': ['--password'],
  'user link': ['--keep-tokens'],
  'user sign-out': ['--tokens'],
};

/** What needs several servers: test/citus. */
const citus = ['distribute'];

test('each command but `serve` has a test, and only those over HTTP take a token', async () => {
  const known = await commands();
  expect([...Object.keys(lines), ...overHttp, ...embedded, ...citus, 'serve'].sort()).toEqual([...known.keys()].sort());
  for (const [name, options] of known) {
    const secrets = options.filter((option) => /token|secret|password|key/.test(option));
    const taken = overHttp.includes(name) ? ['--token'] : (flags[name] ?? []);
    expect([name, secrets]).toEqual([name, taken]);
  }
});

test.each(overHttp.filter((name) => name !== 'schema'))(
  '`entryway %s` does nothing without a token, even with a database at hand',
  async (name) => {
    const tails: Record<string, string> = {
      import: ' - --format json',
      sync: ' -o entries.ndjson',
      explain: ' one --as anonymous',
    };
    expect(await place.refusal(`${name} --channel articles${tails[name] ?? ''}`)).toMatch(/A token is missing/);
  },
);

test('`entryway schema` without an address and a token sends no request, and prints nothing of a site', async () => {
  const { code, stdout, stderr } = await place.run('schema');
  expect([code, stderr, stdout]).toEqual([0, '', expect.stringContaining('type Entry {')]);
  expect(await place.refusal('schema --url http://127.0.0.1:1')).toMatch(/A token is missing/);
});

test.each(Object.keys(lines))(
  '`entryway %s` works on the database, and prints a secret only if it creates one',
  async (name) => {
    const { line = () => '', input = '', tells = /^$/ } = lines[name] ?? {};
    // A token in the environment is nothing to it.
    const { code, stdout, stderr } = await place.run(
      `${line()} --json`,
      { ENTRYWAY_TOKEN: 'ew_master_nothing' },
      input,
    );
    expect([code, stderr, stdout]).toEqual([0, '', expect.stringMatching(tells)]);
    const secrets = stdout.match(tokenPattern) ?? [];
    expect(secrets.length).toBe(['token create', 'token rotate', 'user link', 'member invite'].includes(name) ? 1 : 0);
    for (const stored of [site.master, site.public, userToken]) expect(stdout).not.toContain(stored);
    expect(stdout).not.toMatch(/hash|\\\\x[0-9a-f]{16}|"data":\[/);
  },
);

/** The one line that says why a command failed; the service says it in a line of its log. */
function reason(name: string): RegExp {
  return name === 'serve' ? /^\{"level":60,[^\n]*127\.0\.0\.1[^\n]*\}\n$/ : /^entryway: [^\n]*127\.0\.0\.1[^\n]*\n$/;
}

test('no command on the database prints anything without it, even with a token at hand', async () => {
  const nobody: Server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => nobody.listen(0, '127.0.0.1', resolve));
  const { port } = nobody.address() as AddressInfo;
  const away = { DATABASE_URL: `postgresql://127.0.0.1:${port}/entryway`, ENTRYWAY_TOKEN: site.master, PORT: '0' };
  try {
    for (const name of [...Object.keys(lines), 'serve']) {
      const { code, stdout, stderr } = await place.run(lines[name]?.line() ?? name, away, lines[name]?.input);
      expect([name, code, stdout]).toEqual([name, 1, '']);
      expect([name, stderr]).toEqual([name, expect.stringMatching(reason(name))]);
      expect(stderr.match(tokenPattern)).toBeNull();
    }
  } finally {
    await new Promise((resolve) => nobody.close(resolve));
  }
});
