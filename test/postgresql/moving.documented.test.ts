// The way from the embedded database to PostgreSQL, as docs/operations.md has it in one line, while a service runs on the embedded one:
// the same callers are then answered the same (docs/contract.md §12.4).
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { as } from '../support/as.ts';
import { emptyDatabaseUrl } from '../support/db.ts';
import { entryway, main, serve, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';
import { answersOfWhole, fillWhole, wholeCustomers } from '../support/wholeSite.ts';

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

/** Makes tokens of the site: the first one as its operator, the other one as its manager. */
async function createTokens(
  environment: Record<string, string>,
  service: ServiceProcess,
): Promise<{ master: string; public: string }> {
  const words = ['token', 'create', '--kind', 'master', '--site', 'blog'];
  const { token: master } = await json<{ token: string }>(environment, ...words);
  const made = await as(service, { token: master }).rest<{ token: string }>('POST', '/tokens', {
    body: { kind: 'public' },
  });
  return { master, public: made.body.token };
}

async function serveOn(environment: Record<string, string>): Promise<ServiceProcess> {
  const service = await serve({ ...environment, RATE_LIMIT: 'off' });
  closing.push(service.stop);
  return service;
}

test('the line in docs/operations.md moves a site, whose callers get the same answers as before', async () => {
  const embedded = { DATA_DIR: scratchDirectory() };
  const source = await serveOn(embedded);
  await json(embedded, 'site', 'create', 'blog');
  const tokens = await createTokens(embedded, source);
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
  const made = await createTokens(target, moved);
  expect(await answersOfWhole(moved, made, entries)).toEqual(before);
  // The old tokens are listed, and open nothing.
  expect((await as(moved, { token: tokens.master }).rest('GET', '/channels')).status).toBe(401);
  expect((await as(moved, { token: made.master }).rest<unknown[]>('GET', '/tokens')).body).toHaveLength(4);
});
