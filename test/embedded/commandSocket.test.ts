// Commands while a service runs on the embedded database: over a socket that only its owner may open.
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { entryway, serve, start, type Run, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const running: Pick<ServiceProcess, 'stop'>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
  removeScratch();
});

async function serveOn(DATA_DIR: string): Promise<ServiceProcess> {
  const service = await serve({ DATA_DIR });
  running.push(service);
  return service;
}

function run(DATA_DIR: string, line: string): Promise<Run> {
  return entryway(line.split(' '), { DATA_DIR });
}

async function json<Document>(DATA_DIR: string, line: string): Promise<Document> {
  const { code, stdout, stderr } = await run(DATA_DIR, `${line} --json`);
  expect([line, code, stderr]).toEqual([line, 0, '']);
  return JSON.parse(stdout) as Document;
}

/** The path of a service's socket, as the file beside the lock has it. */
function socketOf(dataDir: string): string {
  const { socket } = JSON.parse(readFileSync(join(dataDir, 'lock.json'), 'utf8')) as { socket: string };
  return socket;
}

/** Sends a body to a socket, and returns the answer. */
function post(socketPath: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    request({ socketPath, path: '/command', method: 'POST', agent: false }, (response) => {
      text(response).then(resolve, reject);
    })
      .once('error', reject)
      .end(body);
  });
}

interface Created {
  readonly id: string;
  readonly token: string;
}

test('every command works while the service runs, and its changes apply at once', async () => {
  const dataDir = scratchDirectory();
  const service = await serveOn(dataDir);
  const status = async (token: string, site?: string): Promise<number> =>
    (await as(service, { token, ...(site !== undefined && { site }) }).gql('{ channels { id } }')).status;
  await json(dataDir, 'site create blog');
  await json(dataDir, 'user create --email ada@example.com');
  await json(dataDir, 'member add --site blog --user ada@example.com');
  expect(await json(dataDir, 'member list --site blog')).toMatchObject([{ user: 'ada@example.com' }]);
  const master = await json<Created>(dataDir, 'token create --kind master --site blog');
  const user = await json<Created>(dataDir, 'token create --kind user --user ada@example.com');
  expect([await status(master.token), await status(user.token, 'blog')]).toEqual([200, 200]);
  expect(await json(dataDir, 'site show blog')).toMatchObject({ tokens: 1, members: 1 });
  expect(await json(dataDir, 'user list')).toMatchObject([{ email: 'demo@example.com' }, { email: 'ada@example.com' }]);

  const rotated = await json<Created>(dataDir, `token rotate ${master.id} --overlap 0`);
  expect([await status(master.token), await status(rotated.token)]).toEqual([401, 200]);
  await json(dataDir, `token revoke ${rotated.id}`);
  expect(await status(rotated.token)).toBe(401);
  await json(dataDir, 'member remove --site blog --user ada@example.com');
  expect(await status(user.token, 'blog')).toBe(403);
  await json(dataDir, 'user delete --email ada@example.com --confirm ada@example.com');
  expect(await status(user.token, 'blog')).toBe(401);

  const demo = service.tokens?.master ?? '';
  expect(await status(demo)).toBe(200);
  expect(await json(dataDir, 'site delete demo --confirm demo')).toMatchObject({
    id: 'demo',
    deleted: { entries: 35 },
  });
  expect(await status(demo)).toBe(401);
  const migrations = await json<{ state: string }[]>(dataDir, 'migrate status');
  expect(new Set(migrations.map(({ state }) => state))).toEqual(new Set(['applied']));

  const refused = await run(dataDir, 'site create blog');
  expect(refused).toEqual({ code: 1, stdout: '', stderr: expect.stringMatching(/at \/.*: There is a site "blog"/) });
  // The log names the calls, and no secret.
  expect(service.log()).toContain('"call":"rotateToken"');
  expect(service.log()).not.toMatch(/ew_(master|user)_\w{20}/);
});

test('the command socket is open to its owner alone, removed with the service, and replaced after a crash', async () => {
  const dataDir = scratchDirectory();
  const service = await serveOn(dataDir);
  const socket = socketOf(dataDir);
  const mode = (path: string): number => statSync(path).mode & 0o777;
  expect(socket).toBe(join(dataDir, 'commands', 'socket'));
  expect([mode(socket), mode(dirname(socket))]).toEqual([0o600, 0o700]);
  expect(statSync(socket).isSocket()).toBe(true);

  service.child.kill('SIGKILL');
  await once(service.child, 'exit');
  running.splice(0);
  // The socket is left, and nobody listens: a command opens the database itself.
  expect(statSync(socket).isSocket()).toBe(true);
  await json(dataDir, 'site create between');
  const next = await serveOn(dataDir);
  expect(await json(dataDir, 'site list')).toMatchObject([{ id: 'demo' }, { id: 'between' }]);
  expect(await next.stop()).toBe(0);
  expect(() => statSync(socket)).toThrow('ENOENT');
  expect(await json(dataDir, 'site show between')).toMatchObject({ id: 'between' });
});

test('concurrent commands all succeed while the service starts and while it stops', async () => {
  const dataDir = scratchDirectory();
  const early = start(['serve'], { DATA_DIR: dataDir, PORT: '0' });
  const gone = once(early, 'exit') as Promise<[number | null]>;
  running.push({ stop: async () => (early.kill('SIGKILL'), (await gone)[0]) });
  while (!existsSync(join(dataDir, 'lock.json'))) await sleep(10);
  const ids = ['one', 'two', 'three'];
  const created = Promise.all(ids.map((id) => run(dataDir, `site create ${id}`)));
  expect((await created).map(({ code, stderr }) => [code, stderr])).toEqual(ids.map(() => [0, '']));
  early.kill('SIGTERM');
  const late = run(dataDir, 'site create four');
  expect(await gone).toEqual([0, null]);
  expect(await late).toMatchObject({ code: 0, stderr: '' });
  const sites = await json<{ id: string }[]>(dataDir, 'site list');
  expect(sites.map(({ id }) => id)).toEqual(expect.arrayContaining([...ids, 'four']));
});

test('the command socket refuses malformed messages, and the service goes on', async () => {
  const dataDir = scratchDirectory();
  const service = await serveOn(dataDir);
  const socket = socketOf(dataDir);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const message = { version, call: 'listSites', input: {}, now: new Date().toISOString() };
  expect(await post(socket, JSON.stringify(message))).toMatch(/^{"result":\[{"id":"demo"/);
  for (const [body, expected] of [
    ['garbage', /"bad_request".*not JSON/],
    ['[]', /"bad_request"/],
    [JSON.stringify({ ...message, call: 'constructor' }), /"bad_request".*no such call/],
    [JSON.stringify({ ...message, input: { x: 1 } }), /"bad_request".*does not fit/],
    [JSON.stringify({ ...message, more: 1 }), /"bad_request"/],
    [JSON.stringify({ ...message, now: 'then' }), /"bad_request"/],
    [
      JSON.stringify({ version: '99.0.0' }),
      /"conflict".*is Entryway .*of the version 99\.0\.0: run the command of the/,
    ],
    ['x'.repeat(70_000), /"payload_too_large"/],
  ] as const) {
    expect(await post(socket, body)).toMatch(expected);
  }

  const silent = connect(socket);
  const noisy = connect(socket);
  for (const each of [silent, noisy]) each.on('error', () => undefined);
  noisy.write('\0\u0001 not HTTP at all\r\n\r\n');
  // Closed at once; and one that sends nothing, when its time is over.
  noisy.resume();
  await once(noisy, 'close');
  silent.resume();
  await once(silent, 'close');
  expect(await json(dataDir, 'site list')).toMatchObject([{ id: 'demo' }]);
  expect((await fetch(`${service.url}/readyz`)).status).toBe(200);
});

test('a command socket whose path would be too long is in a private temporary directory', async () => {
  const dataDir = join(scratchDirectory(), 'long'.repeat(25));
  const service = await serveOn(dataDir);
  const socket = socketOf(dataDir);
  expect(socket).not.toContain(dataDir);
  expect([statSync(socket).mode & 0o777, statSync(dirname(socket)).mode & 0o777]).toEqual([0o600, 0o700]);
  await json(dataDir, 'site create far');
  expect(await service.stop()).toBe(0);
  expect(() => statSync(dirname(socket))).toThrow('ENOENT');
});

test('a command that gets no answer, or one that it does not understand, fails with one line', async () => {
  const dataDir = scratchDirectory();
  const directory = join(dataDir, 'commands');
  mkdirSync(directory, { mode: 0o700 });
  const socket = join(directory, 'socket');
  let respond = (): string | null => null;
  const server = createServer((_request, response) => {
    const answer = respond();
    if (answer === null) response.destroy();
    else response.end(answer);
  }).listen(socket);
  await once(server, 'listening');
  const owner = { pid: 1, startedAt: new Date().toISOString(), host: 'here', socket };
  writeFileSync(join(dataDir, 'lock.json'), JSON.stringify(owner));
  try {
    for (const [answer, expected] of [
      [null, /gave no answer.*not known/],
      ['<html>', /does not understand.*another version/],
      ['{"error":{"code":"odd","detail":"x"}}', /does not understand/],
      [
        '{"error":{"code":"conflict","detail":"The running service is Entryway 9"}}',
        /The running service is Entryway 9/,
      ],
    ] as const) {
      respond = () => answer;
      const { code, stdout, stderr } = await run(dataDir, 'site list');
      expect([code, stdout, stderr]).toEqual([1, '', expect.stringMatching(expected)]);
    }
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
