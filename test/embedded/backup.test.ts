// `entryway backup`, `restore`, `site export` and `site import` as processes, on the embedded database while a service runs on it.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { unpackBackup } from '../../src/cli/moving/backupFile.ts';
import { as } from '../support/as.ts';
import { entryway, serve, type Run, type ServiceProcess } from '../support/process.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

const running: Pick<ServiceProcess, 'stop'>[] = [];

afterEach(async () => {
  await Promise.all(running.splice(0).map((service) => service.stop()));
  removeScratch();
});

async function serveOn(DATA_DIR: string): Promise<ServiceProcess> {
  const service = await serve({ DATA_DIR, RATE_LIMIT: 'off' });
  running.push(service);
  return service;
}

/** Creates entries one after the other until it is told to stop. */
function startWriting(service: ServiceProcess): { acknowledged: string[]; stop: () => Promise<void> } {
  const master = as(service, { token: service.tokens?.master ?? '' });
  const acknowledged: string[] = [];
  const stopping = new AbortController();
  const done = (async () => {
    for (let n = 0; !stopping.signal.aborted; n += 1) {
      const { status, body } = await master.rest('POST', '/channels/articles/entries', {
        body: { title: `Written ${n}` },
      });
      expect(status).toBe(201);
      acknowledged.push(String(body['id']));
    }
  })();
  return { acknowledged, stop: () => (stopping.abort(), done) };
}

const run = (DATA_DIR: string, ...args: string[]): Promise<Run> => entryway(args, { DATA_DIR });

test('a backup and a site export under writes contain each write that was acknowledged before they began', async () => {
  const [dataDir, files] = [scratchDirectory(), scratchDirectory()];
  const service = await serveOn(dataDir);
  const writing = startWriting(service);
  while (writing.acknowledged.length < 20) await new Promise((resolve) => setTimeout(resolve, 20));

  const [backup, exported] = [join(files, 'all.tar.gz'), join(files, 'demo.gz')];
  const beforeBackup = [...writing.acknowledged];
  expect(await run(dataDir, 'backup', '-o', backup)).toMatchObject({ code: 0, stderr: '' });
  const beforeExport = [...writing.acknowledged];
  expect(await run(dataDir, 'site', 'export', 'demo', '-o', exported)).toMatchObject({ code: 0 });
  await writing.stop();
  expect(beforeExport.length).toBeGreaterThan(beforeBackup.length);

  // Only the owner may read them, and nothing is left of how they were made.
  expect([backup, exported].map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(readdirSync(files).sort()).toEqual(['all.tar.gz', 'demo.gz']);
  expect(readdirSync(join(dataDir, 'copies'))).toEqual([]);
  const text = gunzipSync(readFileSync(exported)).toString();
  expect(beforeExport.filter((id) => !text.includes(id))).toEqual([]);

  // Through the service, too.
  expect(await run(dataDir, 'site', 'import', exported, '--as', 'other')).toMatchObject({ code: 0 });
  const refused = await run(dataDir, 'site', 'import', exported);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(/There is a site "demo" already/)]);

  const restored = join(files, 'restored');
  expect(await run(restored, 'restore', backup)).toMatchObject({ code: 0, stderr: '' });
  expect(statSync(join(restored, 'pgdata')).mode & 0o077).toBe(0);
  const again = await serveOn(restored);
  const master = as(again, { token: service.tokens?.master ?? '' });
  for (const id of beforeBackup) {
    expect([id, (await master.rest('GET', `/channels/articles/entries/${id}`)).status]).toEqual([id, 200]);
  }
  expect((await master.rest('POST', '/channels/articles/entries', { body: { title: 'After' } })).status).toBe(201);
  const full = await run(restored, 'restore', backup);
  expect([full.code, full.stderr]).toEqual([2, expect.stringMatching(/restored into an empty directory, and .* has /)]);
});

test('a damaged or cut-off backup is refused, and remains of a stopped restore or backup do not hinder the next one', async () => {
  const files = scratchDirectory();
  const dataDir = join(files, 'data');
  const backup = join(files, 'all.tar.gz');
  expect(await run(dataDir, 'site', 'create', 'blog')).toMatchObject({ code: 0 });
  // No service runs: the command opens the database itself.
  expect(await run(dataDir, 'backup', '-o', backup)).toMatchObject({ code: 0 });

  const whole = readFileSync(backup);
  const plain = gunzipSync(whole);
  const at = plain.indexOf('pgdata/PG_VERSION\0');
  const changed = Buffer.from(plain);
  changed.write('99', at + 512);
  const newer = Buffer.from(plain.toString('latin1').replace('"formatVersion":1', '"formatVersion":2'), 'latin1');
  const damaged: [Buffer, RegExp][] = [
    [whole.subarray(0, whole.length >> 1), /it was cut off/],
    [gzipSync(changed, { level: 1 }), /its file pgdata\/PG_VERSION is damaged/],
    [gzipSync(newer, { level: 1 }), /it has the format 2, of Entryway .*; this version reads format 1/],
    [gzipSync(plain.subarray(0, at), { level: 1 }), /it was cut off/],
    [Buffer.from('nothing of the kind'), /it is not what gzip has written/],
    [gzipSync('nothing of the kind'), /it was cut off/],
    [gzipSync(Buffer.alloc(1_024, 'x')), /it is not an archive/],
  ];
  for (const [content, expected] of damaged) {
    writeFileSync(join(files, 'damaged'), content);
    await expect(unpackBackup(join(files, 'damaged'), scratchDirectory())).rejects.toThrow(expected);
  }
  const target = join(files, 'restored');
  writeFileSync(join(files, 'damaged'), whole.subarray(0, whole.length >> 1));
  const cut = await run(target, 'restore', join(files, 'damaged'));
  expect([cut.code, cut.stderr]).toEqual([
    1,
    expect.stringMatching(/damaged can't be restored: it was cut off\. Nothing/),
  ]);
  expect(existsSync(join(target, 'pgdata'))).toBe(false);
  mkdirSync(join(target, 'restoring', 'pgdata'), { recursive: true });
  expect(await run(target, 'restore', backup)).toMatchObject({ code: 0 });
  expect((await run(target, 'site', 'list')).stdout).toMatch(/^blog/m);

  // A command that was killed has left a copy: the next one deletes it.
  mkdirSync(join(target, 'copies', 'left', 'pgdata'), { recursive: true });
  expect(await run(target, 'backup', '-o', backup)).toMatchObject({ code: 0 });
  expect(readdirSync(join(target, 'copies'))).toEqual([]);

  const none = await run(join(files, 'nowhere'), 'backup', '-o', backup);
  expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/There is no database in .*nowhere/)]);
  const postgresql = { DATABASE_URL: 'postgresql://127.0.0.1:1/none' };
  for (const args of [
    ['backup', '-o', backup],
    ['restore', backup],
  ]) {
    const { code, stderr } = await entryway(args, postgresql);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/PostgreSQL server: use pg_(dump|restore)/)]);
  }
});
