// `entryway sync` as a process of its own: what it takes, what it refuses, and what makes it start over.
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { withEntries } from '../../../src/entries/model.ts';
import { entryway, start } from '../../support/process.ts';
import { buildCallers, suiteApp } from '../../support/scene.ts';
import { removeScratch } from '../../support/scratch.ts';
import { buildKept, createArticle, expectSynced, readListed, readSynced } from '../../support/synced.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
afterAll(removeScratch);

const path = '/channels/articles/entries';

describe('the file', () => {
  test('sync lists the entries once, and then follows the changes', async () => {
    const kept = await buildKept(app);
    await expectSynced(kept);
    const { ino } = statSync(kept.file);
    await expectSynced(kept);
    // Nothing has changed: it was not written again.
    expect(statSync(kept.file).ino).toBe(ino);
    const id = await createArticle(kept.master, { title: 'Three' });
    await expectSynced(kept);
    await kept.master.rest('PATCH', `${path}/${id}`, { body: { title: 'Four' } });
    await expectSynced(kept);
    await kept.master.rest('DELETE', `${path}/${id}`);
    await expectSynced(kept);
    expect(readdirSync(kept.directory).sort()).toEqual(['entries.ndjson', 'entries.ndjson.sync']);
    expect(statSync(`${kept.file}.sync`).mode & 0o777).toBe(0o600);
    expect(readFileSync(`${kept.file}.sync`, 'utf8')).not.toContain(kept.site.master);
  });

  test('sync has all channels that the token sees, and those that are created and deleted later', async () => {
    const kept = await buildKept(app);
    await expectSynced(kept);
    await kept.master.rest('POST', '/channels', { body: { id: 'films' } });
    await kept.master.rest('POST', '/channels/films/entries', { body: { title: 'Metropolis' } });
    await expectSynced(kept, ['articles', 'films']);
    await kept.master.rest('DELETE', '/channels/films?confirm=films');
    await kept.master.rest('POST', '/channels', { body: { id: 'films' } });
    await expectSynced(kept, ['articles', 'films']);
    expect(readSynced(kept.file).size).toBe(2);
  });

  test('sync follows changes of the fields and of referenced entries', async () => {
    const kept = await buildKept(app);
    const [one] = [...readListedIds(await readListed(kept.master, ['articles']))];
    await kept.master.rest('POST', '/channels', {
      body: { id: 'notes', fields: [{ name: 'on', type: 'references', channel: 'articles' }] },
    });
    const note = await kept.master.rest<{ id: string }>('POST', '/channels/notes/entries', { body: { on: [one] } });
    const both = ['articles', 'notes'];
    await expectSynced(kept, both);
    await kept.master.rest('PATCH', `${path}/${one ?? ''}`, { body: { title: 'Renamed' } });
    await expectSynced(kept, both);
    expect(JSON.stringify(readSynced(kept.file).get(note.body.id))).toContain('Renamed');
    await kept.master.rest('DELETE', `${path}/${one ?? ''}`);
    await expectSynced(kept, both);
    expect(readSynced(kept.file).get(note.body.id)).toMatchObject({ on: [] });
    await kept.master.rest('PATCH', '/channels/notes', { body: { fields: [] } });
    await expectSynced(kept, both);
  });

  test('sync with a session has the entries of its customer', async () => {
    const kept = await buildKept(app);
    const { ada } = await buildCallers(kept);
    const mine = await createArticle(kept.master, {
      _status: 'published',
      _acl: { '*': { read: false }, ada: { read: true } },
    });
    const environment = { ...kept.environment, ENTRYWAY_TOKEN: ada.token ?? '' };
    const words = ['sync', '--channel', 'articles', '-o', kept.file];
    expect((await entryway(words, { ...environment, ENTRYWAY_SESSION: ada.session ?? '' })).code).toBe(0);
    expect(readSynced(kept.file).has(mine)).toBe(true);
    const refused = await entryway(words, environment);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/made with another --session/)]);
    expect((await entryway([...words, '--restart'], environment)).code).toBe(0);
    expect(readSynced(kept.file).has(mine)).toBe(false);
  });
});

function readListedIds(entries: Map<string, unknown>): Iterable<string> {
  return entries.keys();
}

describe('it starts over', () => {
  test('sync starts over if the changes are no longer kept', async () => {
    const kept = await buildKept(app);
    await expectSynced(kept);
    for (const title of ['Three', 'Four']) await createArticle(kept.master, { title });
    const { entry } = withEntries(app.database.prisma, app.database.statements);
    await entry.assignPositions(kept.site.id);
    expect(await entry.dropChanges([kept.site.id], new Date(Date.now() + 1_000), 100)).toBeGreaterThan(0);
    expect(await expectSynced(kept)).toMatch(/^The changes since the last time are not kept any more/);
    expect(await expectSynced(kept)).toBe('');
  });

  test('sync starts over if the file was changed or deleted', async () => {
    const kept = await buildKept(app);
    await expectSynced(kept);
    writeFileSync(kept.file, '{"id":"x"}\n');
    await expectSynced(kept);
    writeFileSync(kept.file, '');
    await expectSynced(kept);
  });

  test('sync starts over with --restart', async () => {
    const kept = await buildKept(app);
    writeFileSync(kept.file, 'something else');
    const { code, stderr } = await kept.sync();
    expect([code, stderr]).toEqual([1, expect.stringMatching(/was not made by sync: .*--restart/)]);
    expect(readFileSync(kept.file, 'utf8')).toBe('something else');
    await expectSynced(kept, ['articles'], ['--restart']);
  });
});

describe('following', () => {
  test('sync --follow writes a change soon, refuses a second process, and ends on SIGTERM', async () => {
    const kept = await buildKept(app);
    const child = start(['sync', '-o', kept.file, '--follow', '--json'], kept.environment);
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    while (readSynced(kept.file).size < 2) await sleep(50);
    const id = await createArticle(kept.master, { title: 'Three' });
    while (!readSynced(kept.file).has(id)) await sleep(50);
    const second = await kept.sync();
    expect([second.code, second.stderr]).toEqual([1, expect.stringMatching(/Another process keeps .* already/)]);
    child.kill('SIGTERM');
    expect(await once(child, 'close')).toEqual([0, null]);
    expect(JSON.parse(stdout)).toMatchObject({ entries: 3, file: kept.file });
    await expectSynced(kept);
  });

  test('sync asks a busy service again after Retry-After', async () => {
    let refused = 0;
    const server = createServer((request, response) => {
      if (refused < 2) {
        refused += 1;
        response.writeHead(429, { 'Retry-After': '1', 'Content-Type': 'application/json' }).end('{}');
        return;
      }
      const { authorization = '' } = request.headers;
      void fetch(`${app.url}${request.url ?? ''}`, { headers: { authorization } }).then(async (answer) => {
        response.writeHead(answer.status, { 'Content-Type': 'application/json' }).end(await answer.text());
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const kept = await buildKept(app, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const { code, stderr } = await kept.sync();
    server.close();
    expect([code, stderr]).toEqual([0, 'Waiting for the service: it answers 429.\nThe service answers again.\n']);
    expect(readSynced(kept.file)).toEqual(await readListed(kept.master, ['articles']));
  });
});

test.each([
  [['--channel', 'none'], 1, /There is no channel "none"/],
  [['--channel', 'a b'], 2, /can't be a channel's id/],
  [['--once', '--follow'], 2, /--once and --follow exclude each other/],
  [['-o', 'entries.csv'], 2, /sync writes NDJSON/],
  [['-o', '/nowhere/at/all.ndjson'], 1, /Can't lock \/nowhere/],
  [['--session', 'a b'], 2, /not a session token/],
])('sync refuses %j', async (words, exitCode, message) => {
  const kept = await buildKept(app);
  const { code, stderr } = await kept.sync(...words);
  expect([code, stderr]).toEqual([exitCode, expect.stringMatching(message)]);
  expect(existsSync(kept.file)).toBe(false);
});
