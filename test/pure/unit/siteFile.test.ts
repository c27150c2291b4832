// Files of exports that no export has written, and the files that commands write.
import { mkdirSync, readdirSync, chownSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { deleteAbandonedCopies, withCopy } from '../../../src/cli/moving/databaseCopy.ts';
import { exportSite } from '../../../src/cli/moving/exportSite.ts';
import { checkFile } from '../../../src/cli/moving/importSite.ts';
import { readSiteFile } from '../../../src/cli/moving/readSiteFile.ts';
import { siteFileChunks } from '../../../src/cli/moving/siteFile.ts';
import type { OperatorAccess } from '../../../src/cli/operator/operator.ts';
import { findChangedNumber, isDeeperThan } from '../../../src/inputs/json.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

afterAll(removeScratch);

const counts = { channels: 0, customers: 0, members: 0, webhooks: 0, tokens: 0, sessions: 0, entries: 0 };
const site = { id: 'blog', name: 'Blog', created_at: '2026-01-01T00:00:00.000Z' };

test.each([
  ['a number beyond all that a double holds', '1e400', /line 1: the number 1e400 would be stored as another one/],
  ['a number that is read as another one', '9007199254740993', /the number 9007199254740993 would be stored as/],
  ['arrays in 200,000 levels', '['.repeat(200_000) + ']'.repeat(200_000), /line 1: this nests deeper than \d+ levels/],
])('an import refuses a file with %s', async (_what, json, expected) => {
  const path = join(scratchDirectory(), 'odd.gz');
  writeFileSync(path, gzipSync(`{"odd":${json}}\n`));
  await expect(checkFile(path)).rejects.toThrow(expected);
});

test.each([
  ['a line break', { name: 'a\nb' }, /site\.name must be a name/],
  ['a NUL', { name: 'a\0b' }, /site\.name must be a name/],
  ['the year 0', { created_at: '0000-01-01T00:00:00.000Z' }, /site\.created_at must be a time/],
])('an import refuses a file of a site with %s', async (_what, changed, expected) => {
  const path = join(scratchDirectory(), 'odd.gz');
  const header = {
    format: 'entryway-site',
    formatVersion: 1,
    entryway: '0.1.0',
    site: { ...site, ...changed },
    counts,
  };
  writeFileSync(path, gzipSync(`${JSON.stringify(header)}\n`));
  await expect(checkFile(path)).rejects.toThrow(expected);
});

/** The lines of a file's beginning: its header and the start of the section of channels. */
function beginFile(changed: Partial<typeof counts>): string {
  const header = {
    format: 'entryway-site',
    formatVersion: 1,
    entryway: '0.1.0',
    site,
    counts: { ...counts, ...changed },
  };
  return `${JSON.stringify(header)}\n{"section":"channels"}\n`;
}

test.each([
  // Line 5 is none of JSON: whoever reads on says so.
  [
    'more rows than its header says',
    beginFile({ channels: 1 }) + '{}\n{}\nodd\n',
    /line 4: the section channels has more than 1 rows/,
  ],
  ['a negative number of rows', beginFile({ channels: -1 }) + 'odd\n', /line 1: counts\.channels /],
  ['more rows than a number holds', beginFile({ entries: 1e300 }) + 'odd\n', /line 1: counts\.entries /],
  [
    'fewer rows than its header says',
    beginFile({ channels: 2 }) + '{}\n{"end":"channels","rows":1,"sha256":""}\nodd\n',
    /has 1 rows of 2/,
  ],
  [
    'a line without an end',
    beginFile({ channels: 1 }) + '"'.repeat(34_000_000),
    /has a line of more than 33554432 bytes/,
  ],
])('an import stops reading a file with %s', async (_what, text, expected) => {
  const path = join(scratchDirectory(), 'odd.gz');
  writeFileSync(path, gzipSync(text, { level: 1 }));
  await expect(readAll(path)).rejects.toThrow(expected);
});

/** Reads a file without a check of its rows. */
async function readAll(path: string): Promise<void> {
  for await (const _row of readSiteFile(path));
}

test.each([
  ['zeros', Buffer.alloc(99), /has something behind its end/],
  ['another line', gzipSync('{}\n'), /something follows the end of the file/],
])('an import refuses a complete file with %s after its end', async (_what, tail, expected) => {
  const path = join(scratchDirectory(), 'odd.gz');
  const header = { format: 'entryway-site', formatVersion: 1, entryway: '0.1.0', site, counts } as const;
  const chunks: Buffer[] = [];
  for await (const chunk of siteFileChunks(header, () => Readable.from([]))) chunks.push(chunk);
  const whole = gzipSync(Buffer.concat(chunks));
  writeFileSync(path, whole);
  await readAll(path);
  writeFileSync(path, Buffer.concat([whole, tail]));
  await expect(readAll(path)).rejects.toThrow(expected);
});

test("a number that JavaScript has written is unchanged in a site's file", () => {
  const numbers = [1e20, 123456789012345680000, 1e21, -1.7e308, 5e-324, 0.1, 2 ** 53, 2 ** 63];
  expect(findChangedNumber(JSON.stringify(numbers))).toBeUndefined();
  expect(findChangedNumber('["9007199254740993", 1.5]')).toBeUndefined();
  expect([isDeeperThan(2, [[1]]), isDeeperThan(1, [[1]]), isDeeperThan(0, 1)]).toEqual([false, true, false]);
});

test('an export to a directory is refused before any read', async () => {
  await expect(exportSite('blog', { output: scratchDirectory() })).rejects.toThrow(/^-o .* is a directory: give the/);
});

test('a copy belongs to the owner of the database, and is removed when the command is stopped', async () => {
  const dataDir = scratchDirectory();
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(dataDir, 12_345, 12_346);
  const { uid, gid } = statSync(dataDir);
  const copies = join(dataDir, 'copies');
  const made: unknown[] = [];
  const call = ((_name: string, { name }: { name: string }) => {
    for (const path of [copies, join(copies, name), join(copies, `${name}.lock`)]) {
      const found = statSync(path);
      made.push([found.uid, found.gid, found.mode & 0o077]);
    }
    process.emit('SIGINT', 'SIGINT');
    return Promise.resolve(null);
  }) as OperatorAccess['call'];
  let worked = false;
  const work = (): Promise<void> => Promise.resolve(void (worked = true));
  await expect(withCopy({ call }, dataDir, work)).rejects.toThrow(/The command was stopped/);
  expect(made).toEqual([1, 2, 3].map(() => [uid, gid, 0]));
  expect([worked, readdirSync(copies)]).toEqual([false, []]);

  // What a command has left that was killed.
  mkdirSync(join(copies, 'left', 'pgdata'), { recursive: true });
  await deleteAbandonedCopies(dataDir);
  expect(readdirSync(copies)).toEqual([]);
  await deleteAbandonedCopies(join(dataDir, 'nowhere'));
});
