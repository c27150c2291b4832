// The first start on an empty embedded database, the later ones, and a second process on its directory.
import { execFile, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { entryway, onTerminal, serve, start as startProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const shell = promisify(execFile);
const token = /ew_(master|public|user)_[0-9A-Za-z]{49}/g;
let running: ChildProcessWithoutNullStreams[] = [];

afterEach(async () => {
  const left = running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
  const gone = left.map((child) => once(child, 'exit'));
  for (const child of left) child.kill('SIGKILL');
  await Promise.all(gone);
  running = [];
  removeScratch();
});

interface Printed {
  /** What it printed on standard output until it served. */
  readonly text: string;
  /** What it has written to standard error. */
  readonly log: () => string;
  readonly stop: () => Promise<number | null>;
}

/** Serves as a person would start it on a terminal, unless the variables say otherwise. */
async function start(dataDir: string, more: Record<string, string> = onTerminal): Promise<Printed> {
  const child = startProcess(['serve'], { DATA_DIR: dataDir, PORT: '0', ...more });
  running.push(child);
  const ended = once(child, 'exit') as Promise<[number | null]>;
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const failed = ended.then(([code]) => Promise.reject(new Error(`serve ended with ${code}: ${log}`)));
  let text = '';
  const printed = new Promise<void>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      if (text.includes('Entryway serves at ')) resolve();
    });
  });
  await Promise.race([printed, failed]);
  failed.catch(() => undefined);
  return {
    text,
    log: () => log,
    stop: async () => {
      child.kill('SIGTERM');
      return (await ended)[0];
    },
  };
}

test('on a terminal the first start prints tokens and lines that work when pasted, later ones how to get a token', async () => {
  const dataDir = scratchDirectory();
  const first = await start(dataDir);
  const url = /^Entryway serves at (http:\S+)\n/m.exec(first.text)?.[1] ?? '';
  expect(first.text).toContain(`Open ${url} in a browser`);
  const tokens = new Set(first.text.match(token));
  expect([...tokens].map((each) => each.split('_')[1])).toEqual(['master', 'public', 'user']);
  expect(first.text).toContain('X-Service-Site: demo');
  const line = first.text.split('\n').find((each) => each.startsWith('export ')) ?? '';
  const { stdout } = await shell('sh', ['-c', `${line}; echo $MASTER $PUBLIC $USER_TOKEN`]);
  expect(stdout.trim().split(' ')).toEqual([...tokens]);

  const lines = first.text.split('\n').filter((line) => line.startsWith('curl '));
  const answers: unknown[] = [];
  for (const line of lines) answers.push(JSON.parse((await shell('sh', ['-c', line])).stdout));
  const published = { _status: 'published', channel: 'articles' };
  expect(answers).toEqual([
    [expect.objectContaining(published), expect.objectContaining(published), expect.objectContaining(published)],
    ['The Lost World: Jurassic Park', 'Before Sunrise', 'Jurassic Park', 'The Piano'].map((title) =>
      expect.objectContaining({
        title,
        director: expect.objectContaining({ channel: 'people', born: expect.any(String) }),
      }),
    ),
    expect.objectContaining({ ...published, title: 'My first article' }),
    expect.objectContaining({ ...published, _status: 'draft' }),
  ]);
  expect(await first.stop()).toBe(0);

  const second = await start(dataDir);
  expect(second.text).toMatch(/^Entryway serves at http:/);
  expect(second.text).not.toMatch(/ew_|curl/);
  expect(second.text).toContain(`set DATA_DIR to ${dataDir} and run this:\n  npx entryway token create`);
  expect(await second.stop()).toBe(0);
});

describe('the demo', () => {
  test('the demo site shows each kind of caller the articles that it may see', async () => {
    const service = await serve({ DATA_DIR: scratchDirectory() });
    running.push(service.child);
    const { master = '', public: visitor = '', user = '' } = service.tokens ?? {};
    const articles = async (credentials: { token: string; session?: string; site?: string }): Promise<number> => {
      const { body } = await as(service, credentials).rest<unknown[]>('GET', '/channels/articles/entries');
      return body.length;
    };
    const sessions = as(service, { token: master });
    const { data } = await sessions.gql<{ customers: { nodes: { id: string }[] } }>('{ customers { nodes { id } } }');
    const { data: made } = await sessions.gql<{ createSession: { token: string } }>(
      'mutation ($customer: ID!) { createSession(customer: $customer) { token } }',
      { customer: data.customers.nodes[0]?.id },
    );
    const session = made.createSession.token;
    // Three for all, one for subscribers; a draft and a scheduled one for managers, of which the user is the owner.
    expect(await articles({ token: master })).toBe(6);
    expect(await articles({ token: user, site: 'demo' })).toBe(6);
    expect(await articles({ token: visitor })).toBe(3);
    expect(await articles({ token: visitor, session })).toBe(4);
    const comment = await as(service, { token: visitor, session }).rest('POST', '/channels/comments/entries', {
      body: { title: 'A comment' },
    });
    expect(comment.status).toBe(201);
  });

  test('the demo site is not created beside another site, and is created by a later start if the port is taken at the first', async () => {
    const [taken, later] = [scratchDirectory(), scratchDirectory()];
    expect((await entryway(['site', 'create', 'blog'], { DATA_DIR: taken })).code).toBe(0);
    const service = await serve({ DATA_DIR: taken });
    running.push(service.child);
    expect(service.tokens).toBeUndefined();

    const refused = await entryway(['serve'], { DATA_DIR: later, PORT: new URL(service.url).port, LOG_LEVEL: 'warn' });
    expect(refused).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^\{[^\n]*"msg":"Port .* taken.*"\}\n$/),
    });
    expect((await start(later)).text).toMatch(token);
  });

  test('the demo site is created in development unless DEMO=off, and in production only with DEMO=on', async () => {
    const text = async (environment: Record<string, string>): Promise<string> => {
      const printed = await start(scratchDirectory(), { ...onTerminal, ...environment });
      expect(await printed.stop()).toBe(0);
      return printed.text;
    };
    const production = await text({ NODE_ENV: 'production' });
    expect(production).not.toMatch(token);
    expect(production).toContain('npx entryway site create');
    const demo = await text({ NODE_ENV: 'production', DEMO: 'on' });
    expect(demo).toMatch(token);
    expect(demo).not.toMatch(/browser/i);
    expect(await text({ DEMO: 'off' })).not.toMatch(token);
  });
});

describe('a start without a terminal', () => {
  test('a start without a terminal prints lines of JSON, of which the last explains how to get a token, and creates none', async () => {
    const dataDir = scratchDirectory();
    const started = await start(dataDir, { RATELIMIT: 'off', LOGLEVEL: 'ew_master_secret', PGPORT: '1' });
    expect(await started.stop()).toBe(0);
    const printed = started.text + started.log();
    const lines = printed
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(printed).not.toMatch(/ew_(?:master|public|user)/);
    const told = lines.map(({ msg, near }) => near ?? msg);
    const [announcement, ...log] = told;
    expect(announcement).toMatch(/^Entryway serves at http:/);
    expect(log).toEqual([
      ...['RATE_LIMIT', 'LOG_LEVEL', 'making the embedded database', 'applying migrations', 'migrations applied'],
      ...['making the demo site', 'stopping'],
    ]);
    expect(lines[0]).toMatchObject({
      level: 30,
      site: 'demo',
      hint: expect.stringContaining('npx entryway token create --kind master --site demo'),
    });
    const { stdout } = await entryway(['token', 'list', '--json'], { DATA_DIR: dataDir });
    expect(JSON.parse(stdout)).toEqual([]);
  });

  test('a start with DEMO=on and without a terminal prints the tokens and requests to try, whatever LOG_LEVEL is', async () => {
    const started = await start(scratchDirectory(), { DEMO: 'on', LOG_LEVEL: 'silent' });
    const { tokens, requests } = JSON.parse(started.text) as { tokens: object; requests: { command: string }[] };
    expect(Object.keys(tokens)).toEqual(['master', 'public', 'user']);
    expect(requests).toHaveLength(4);
    for (const { command } of requests) expect(JSON.parse((await shell('sh', ['-c', command])).stdout)).toBeTruthy();
    expect(started.log()).toBe('');
    expect(await started.stop()).toBe(0);
  });
});

test('the first start on a terminal prints its steps in their order', async () => {
  const { text, stop } = await start(scratchDirectory());
  expect(text.split('\n').slice(0, 4)).toEqual([
    expect.stringMatching(/^Making the embedded database in \/.+ …$/),
    expect.stringMatching(/^Applying \d+ migrations …$/),
    'Making a site to try things on …',
    expect.stringMatching(/^Entryway serves at http:/),
  ]);
  expect(await stop()).toBe(0);
});

test('a process that is killed on its first start leaves nothing in the way of the next', async () => {
  const DATA_DIR = scratchDirectory();
  const draft = join(DATA_DIR, 'pgdata.new');
  const killed = startProcess(['serve'], { DATA_DIR, PORT: '0' });
  running.push(killed);
  while (!existsSync(join(draft, 'base'))) await sleep(1);
  killed.kill('SIGKILL');
  await once(killed, 'exit');
  expect(existsSync(join(DATA_DIR, 'pgdata'))).toBe(false);

  const { child, tokens } = await serve({ DATA_DIR });
  running.push(child);
  expect(tokens).toBeDefined();
  expect(existsSync(draft)).toBe(false);
});

test('a second process on the directory of the database is refused with the name of the first, which goes on', async () => {
  const DATA_DIR = scratchDirectory();
  const begun = Date.now();
  const service = await serve({ DATA_DIR });
  running.push(service.child);
  const holder = `process ${service.child.pid} on ${hostname()} \\(since (\\S+Z)\\)`;
  for (const words of [['serve'], ['migrate']]) {
    const { code, stdout, stderr } = await entryway(words, { DATA_DIR, PORT: '0' });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    // A service that writes its log to a file says so in a line of the log.
    const [begin, end] = words[0] === 'serve' ? ['\\{.*"msg":"', '"\\}'] : ['entryway: ', ''];
    const pattern = new RegExp(`^${begin}.*in use by ${holder}: stop.*set DATA_DIR.*${end}\\n$`);
    const [, since = ''] = pattern.exec(stderr) ?? [];
    expect(Date.parse(since)).toBeGreaterThanOrEqual(begun);
  }
  const { status } = await as(service, { token: service.tokens?.public ?? '' }).rest(
    'GET',
    '/channels/articles/entries',
  );
  expect(status).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('a DATA_DIR with a damaged database, or one that is a file, is refused with advice', async () => {
  const [damaged, file] = [scratchDirectory(), join(scratchDirectory(), 'file')];
  mkdirSync(join(damaged, 'pgdata'));
  writeFileSync(join(damaged, 'pgdata', 'PG_VERSION'), 'junk');
  writeFileSync(file, '');
  for (const [DATA_DIR, message] of [
    [damaged, /^\{.*"msg":"The embedded .*damaged.*backup.*"\}\n$/m],
    [file, /^\{.*"msg":"EEXIST.*Check DATA_DIR.*"\}\n$/m],
  ] as const) {
    const { code, stdout, stderr } = await entryway(['serve'], { DATA_DIR });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
  }
});
