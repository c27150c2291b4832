// The file of a backup of the embedded database: a tar archive, compressed by gzip. It begins with entryway-backup.json, which says
// what it is, has the files of the database under pgdata/, and ends with SHA256SUMS, the checksums of all of them.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { Refusal } from '../run.ts';
import { readVersion } from '../../version.ts';
import { readTar, tarEnd, tarHeader, tarPadding } from './tar.ts';

const manifestName = 'entryway-backup.json';
const sumsName = 'SHA256SUMS';
const backupVersion = 1;

const anyManifest = z.object({
  format: z.literal('entryway-backup'),
  formatVersion: z.int(),
  entryway: z.string().max(100),
});

/** Which files an archive may have: none leads out of the directory. */
const storeName = /^pgdata(\/[A-Za-z0-9_.-]+)*$/;

/** What says that a backup was not made by PGlite of this version. */
export interface BackupManifest {
  /** The version of Entryway that made it. */
  readonly entryway: string;
}

/** The bytes of a backup of the database's files in `directory`/pgdata, before they are compressed. */
export async function* backupChunks(directory: string): AsyncGenerator<Buffer, void> {
  const manifest = {
    format: 'entryway-backup',
    formatVersion: backupVersion,
    entryway: readVersion(),
    takenAt: new Date().toISOString(),
  };
  const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
  yield* wholeFile(manifestName, text);
  const sums = [`${digest(text)}  ${manifestName}`];
  for (const name of await listFiles(directory, 'pgdata')) {
    const { size } = await stat(join(directory, name));
    if (name.endsWith('/')) {
      yield tarHeader({ name: name.slice(0, -1), size: null });
      continue;
    }
    yield tarHeader({ name, size });
    const hash = createHash('sha256');
    for await (const chunk of createReadStream(join(directory, name)) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      yield chunk;
    }
    yield tarPadding(size);
    sums.push(`${hash.digest('hex')}  ${name}`);
  }
  yield* wholeFile(sumsName, Buffer.from(`${sums.join('\n')}\n`));
  yield tarEnd();
}

function* wholeFile(name: string, content: Buffer): Generator<Buffer, void> {
  yield tarHeader({ name, size: content.length });
  yield content;
  yield tarPadding(content.length);
}

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The files and directories below a directory, itself first; the names of directories end with a slash. */
async function listFiles(directory: string, name: string): Promise<string[]> {
  const names = [`${name}/`];
  const entries = await readdir(join(directory, name), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory()) names.push(...(await listFiles(directory, path)));
    else if (entry.isFile()) names.push(path);
  }
  return names;
}

/**
 * Takes a backup out to a directory.
 * @throws {Refusal} saying what is wrong with the file: what was taken out is then of no use
 */
export async function unpackBackup(file: string, directory: string): Promise<BackupManifest> {
  const source = createReadStream(file);
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  const sums = new Map<string, string>();
  try {
    for await (const { name, size, content } of readTar(plain as AsyncIterable<Buffer>)) {
      if (sums.size === 0 && name !== manifestName) throw new Refusal('it is not a backup of "entryway backup"');
      if (![manifestName, sumsName].includes(name) && !isStoreName(name)) throw new Refusal(`it has the file ${name}`);
      const path = join(directory, name);
      await mkdir(size === null ? path : dirname(path), { recursive: true, mode: 0o700 });
      if (size !== null) sums.set(name, await writeHashed(path, content));
      if (name === manifestName) await assertReadable(path);
    }
    assertSums(await readFile(join(directory, sumsName), 'utf8').catch(() => ''), sums);
    return anyManifest.parse(JSON.parse(await readFile(join(directory, manifestName), 'utf8')));
  } catch (error) {
    throw explainUnpacking(file, error);
  } finally {
    source.destroy();
    plain.destroy();
  }
}

function isStoreName(name: string): boolean {
  return storeName.test(name) && !name.split('/').some((part) => part === '.' || part === '..');
}

/** Writes a file. @returns its checksum */
async function writeHashed(path: string, content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256');
  const watched = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  };
  await pipeline(content, watched, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
  return hash.digest('hex');
}

/** @throws {Refusal} where a newer version has written the backup */
async function assertReadable(path: string): Promise<void> {
  const manifest = anyManifest.parse(JSON.parse(await readFile(path, 'utf8')));
  if (manifest.formatVersion === backupVersion) return;
  throw new Refusal(
    `it has the format ${manifest.formatVersion}, of Entryway ${manifest.entryway}; this version reads format ${backupVersion}`,
  );
}

/** @throws {Refusal} where a file is missing, or has another checksum */
function assertSums(text: string, found: ReadonlyMap<string, string>): void {
  const listed = new Map(
    text.split('\n').flatMap((line) => (line === '' ? [] : [[line.slice(66), line.slice(0, 64)]])),
  );
  for (const name of new Set([...listed.keys(), ...found.keys()])) {
    if (name !== sumsName && listed.get(name) !== found.get(name)) throw new Refusal(`its file ${name} is damaged`);
  }
  if (!listed.has('pgdata/PG_VERSION')) throw new Refusal('it has no database');
}

function explainUnpacking(file: string, error: unknown): unknown {
  const refuse = (what: string): Refusal => new Refusal(`${file} can't be restored: ${what}. Nothing is restored.`);
  if (error instanceof Refusal) return refuse(error.message);
  if (error instanceof z.ZodError || error instanceof SyntaxError)
    return refuse('it is not a backup of "entryway backup"');
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return refuse('it was cut off');
  return code?.startsWith('Z_') === true ? refuse('it is not what gzip has written, or is damaged') : error;
}
