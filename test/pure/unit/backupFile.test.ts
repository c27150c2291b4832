// Backups whose sizes are wrong: each is refused at the first wrong size, before anything of that file is read or written.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, expect, test } from '@jest/globals';
import { backupChunks, unpackBackup } from '../../../src/cli/moving/backupFile.ts';
import { tarEnd, tarHeader, tarPadding } from '../../../src/cli/moving/tar.ts';
import { removeScratch, scratchDirectory } from '../../support/scratch.ts';

afterAll(removeScratch);

interface Crafted {
  /** What the manifest says besides its format. */
  readonly manifest?: object;
  /** The 12 bytes of the size of the file pgdata/b, whose content is `bb`. */
  readonly size?: string;
  readonly content?: string;
  readonly end?: Buffer;
}

/** An archive of the files pgdata/PG_VERSION, b and c with right checksums, apart from what is crafted. */
function craft({ manifest = {}, size, content = 'bb', end = tarEnd() }: Crafted = {}): Buffer {
  const text = JSON.stringify({ format: 'entryway-backup', formatVersion: 1, entryway: '0.1.0', ...manifest });
  const files: [string, string][] = [
    ['entryway-backup.json', text],
    ['pgdata/PG_VERSION', '17'],
    ['pgdata/b', content],
    ['pgdata/c', 'ccc'],
  ];
  const sums = files.map(([name, held]) => `${createHash('sha256').update(held).digest('hex')}  ${name}\n`).join('');
  const parts = [...files, ['SHA256SUMS', sums] as const].flatMap(([name, held]) => {
    const header = tarHeader({ name, size: held.length });
    if (name === 'pgdata/b' && size !== undefined) writeSize(header, size);
    return [header, Buffer.from(held), tarPadding(held.length)];
  });
  return Buffer.concat([...parts, end]);
}

/** Replaces the size in a header, and the checksum of the header. */
function writeSize(header: Buffer, size: string): void {
  header.write(size, 124, 12, 'latin1');
  header.fill(' ', 148, 156);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
}

function unpack(bytes: Buffer): { readonly directory: string; readonly done: Promise<unknown> } {
  const directory = scratchDirectory();
  const file = join(scratchDirectory(), 'backup');
  writeFileSync(file, bytes);
  return { directory, done: unpackBackup(file, directory) };
}

const notWritten = /it is not an archive that "entryway backup" has written\. Nothing is restored/;
const octal = (size: number): string => `${size.toString(8).padStart(11, '0')}\0`;

test.each<[string, Crafted, RegExp]>([
  ['larger than the archive', { size: octal(2 ** 28) }, /its file pgdata\/b can't have 268435456 bytes/],
  ['the largest of the format', { size: '77777777777\0' }, /its file pgdata\/b can't have 8589934591 bytes/],
  ['negative', { size: '-0000000002\0' }, notWritten],
  ['no number', { size: 'bb         \0' }, notWritten],
  ['in base 256', { size: `\x80${'\0'.repeat(10)}\x02` }, notWritten],
  [
    'more than the manifest announces',
    { manifest: { files: 3, bytes: 4 } },
    /with its file pgdata\/c it has more than the 3 files of 4/,
  ],
  [
    'of more files than the manifest announces',
    { manifest: { files: 1, bytes: 99 } },
    /with its file pgdata\/b it has more/,
  ],
])('a backup’s file with a size that is %s is neither read nor written', async (_what, crafted, expected) => {
  const { directory, done } = unpack(gzipSync(craft(crafted)));
  await expect(done).rejects.toThrow(expected);
  const written = _what.startsWith('more than') ? ['PG_VERSION', 'b'] : ['PG_VERSION'];
  expect(readdirSync(join(directory, 'pgdata'))).toEqual(written);
});

test.each<[string, Crafted, RegExp]>([
  ['one byte too small', { size: octal(1) }, notWritten],
  ['zero', { size: octal(0) }, notWritten],
  ['one block too large', { size: octal(514) }, notWritten],
])('nothing is written after a file of a backup with a size that is %s', async (_what, crafted, expected) => {
  const { directory, done } = unpack(gzipSync(craft(crafted)));
  await expect(done).rejects.toThrow(expected);
  expect(readdirSync(join(directory, 'pgdata'))).toEqual(['PG_VERSION', 'b']);
});

test.each<[string, Buffer, RegExp]>([
  [
    'fewer files than it announces',
    gzipSync(craft({ manifest: { files: 4, bytes: 7 } })),
    /has 3 files of 7 bytes, and announces 4/,
  ],
  ['a block of zeros behind its end', gzipSync(craft({ end: Buffer.alloc(1_536) })), /something follows its end/],
  ['another archive behind its end', gzipSync(Buffer.concat([craft(), craft()])), /something follows its end/],
  ['another gzip behind its end', Buffer.concat([gzipSync(craft()), gzipSync('x')]), /something follows its end/],
  ['zeros behind the end of gzip', Buffer.concat([gzipSync(craft()), Buffer.alloc(99)]), /something follows its end/],
  ['no second block at its end', gzipSync(craft({ end: Buffer.alloc(512) })), /it was cut off/],
])('a backup that has %s is refused', async (_what, bytes, expected) => {
  await expect(unpack(bytes).done).rejects.toThrow(expected);
});

test('a gigabyte of zeros after a backup’s end is not read', async () => {
  const megabyte = gzipSync(Buffer.alloc(1_048_576));
  // As gzip members one after the other: 1,024 megabytes in one. The last one is damaged, which only its reader would see.
  const bomb = Array.from({ length: 1_024 }, () => megabyte);
  const { done } = unpack(Buffer.concat([gzipSync(craft()), ...bomb, Buffer.from('damaged')]));
  await expect(done).rejects.toThrow(/something follows its end/);
});

test('a backup with or without announced files and sizes is extracted', async () => {
  const directory = scratchDirectory();
  mkdirSync(join(directory, 'pgdata/base'), { recursive: true });
  writeFileSync(join(directory, 'pgdata/PG_VERSION'), '17');
  writeFileSync(join(directory, 'pgdata/base/1'), Buffer.alloc(8_192));
  const chunks: Buffer[] = [];
  for await (const chunk of backupChunks(directory)) chunks.push(chunk);
  expect(await unpack(gzipSync(Buffer.concat(chunks))).done).toMatchObject({ files: 2, bytes: 8_194 });
  expect(await unpack(gzipSync(craft())).done).toMatchObject({ entryway: '0.1.0' });
});
