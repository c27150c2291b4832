// The way from the embedded database to PostgreSQL, as docs/operations.md has it in one line, while a service runs on the embedded one:
// the same callers are then answered the same (docs/contract.md §12.4).
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, jest, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { emptyDatabaseUrl } from '../support/db.ts';
import { entryway, main, serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { answersOfWhole, fillWhole, wholeCustomers } from '../support/wholeSite.ts';

jest.setTimeout(300_000);

const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  removeScratch();
});

/** The line of docs/operations.md, with a URL in the place of its example. */
function documentedLine(databaseUrl: string): string {
  const text = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
  const lines = text.split('\n').filter((line) => line.startsWith('npx entryway site export') && line.includes('&&'));
  expect(lines).toHaveLength(1);
  return (
    lines[0]
      ?.replaceAll('npx entryway', `'${process.execPath}' '${main}'`)
      .replaceAll(/postgresql:\S+/g, databaseUrl) ?? ''
  );
}

async function json<Document>(environment: Record<string, string>, ...args: string[]): Promise<Document> {
  const { code, stdout, stderr } = await entryway([...args, '--json'], environment);
  expect([args, code, stderr]).toEqual([args, 0, '']);
  return JSON.parse(stdout) as Document;
}

async function createTokens(environment: Record<string, string>): Promise<{ master: string; public: string }> {
  const create = async (kind: string): Promise<string> =>
    (await json<{ token: string }>(environment, 'token', 'create', '--kind', kind, '--site', 'blog')).token;
  return { master: await create('master'), public: await create('public') };
}

async function serveOn(environment: Record<string, string>): Promise<ServiceProcess> {
  const service = await serve({ ...environment, RATE_LIMIT: 'off' });
  closing.push(service.stop);
  return service;
}

test('the documented line moves a site with all that its callers see', async () => {
  const embedded = { DATA_DIR: scratchDirectory() };
  await json(embedded, 'site', 'create', 'blog');
  await json(embedded, 'user', 'create', '--email', 'member@example.com');
  await json(embedded, 'member', 'add', '--site', 'blog', '--user', 'member@example.com');
  const source = await serveOn(embedded);
  const tokens = await createTokens(embedded);
  const master = as(source, { token: tokens.master });
  for (const id of wholeCustomers) {
    const roles = id === 'ada' ? ['editors'] : [];
    expect((await master.rest('POST', '/customers', { body: { id, roles } })).status).toBe(201);
  }
  const entries = await fillWhole(master);
  const before = await answersOfWhole(source, tokens, entries);

  const { url, drop } = await emptyDatabaseUrl();
  closing.push(drop);
  const { DATABASE_URL: _url, ...inherited } = process.env;
  const { stderr } = await promisify(execFile)('sh', ['-c', documentedLine(url)], {
    cwd: scratchDirectory(),
    env: { ...inherited, ...embedded },
  });
  expect(stderr).toBe('');
  const target = { DATABASE_URL: url };
  const moved = await serveOn(target);
  expect(await answersOfWhole(moved, await createTokens(target), entries)).toEqual(before);
  const members = await json<{ user: string }[]>(target, 'member', 'list', '--site', 'blog');
  expect(JSON.stringify(members)).toContain('member@example.com');
  // The old tokens are listed, and open nothing.
  expect((await as(moved, { token: tokens.master }).rest('GET', '/channels')).status).toBe(401);
  expect(await json<unknown[]>(target, 'token', 'list', '--site', 'blog')).toHaveLength(4);
});
