// The file of a backup of the embedded database: a tar archive, compressed by gzip. It begins with
// entryway-backup.json, its manifest, has the files of the database under pgdata/, and ends with SHA256SUMS, the
// checksums of all of them.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { readVersion } from '../../base/version.ts';
import { readTar, tarEnd, tarHeader, tarPadding, type TarEntry } from './tar.ts';

const manifestName = 'entryway-backup.json';
const sumsName = 'SHA256SUMS';
const backupVersion = 1;

const anyManifest = z.object({
  format: z.literal('entryway-backup'),
  formatVersion: z.int(),
  entryway: z.string().max(100),
  /** The number and the bytes of the database's files; absent in older backups. */
  files: z.int().min(0).optional(),
  bytes: z.int().min(0).optional(),
});
type Manifest = z.output<typeof anyManifest>;

/**
 * The greatest size of a file that the service itself adds and, below, of a file of the database: PostgreSQL splits its
 * own at a gigabyte.
 */
const maxOwnBytes = 16 * 1024 * 1024;
const maxStoreBytes = 1024 ** 3;
/** The greatest number of bytes that deflate makes of one. */
const maxExpansion = 1_032;

/** The names of files that an archive may have: none leads out of the directory. */
const storeName = /^pgdata(\/[A-Za-z0-9_.-]+)*$/;

/** The part of the manifest that callers use. */
export interface BackupManifest {
  /** The version of Entryway that made it. */
  readonly entryway: string;
}

/** The bytes of a backup of the database's files in `directory`/pgdata, before they are compressed. */
export async function* backupChunks(directory: string): AsyncGenerator<Buffer, void> {
  const listed = await listFiles(directory, 'pgdata');
  const manifest = {
    format: 'entryway-backup',
    formatVersion: backupVersion,
    entryway: readVersion(),
    takenAt: new Date().toISOString(),
    ...sumUp(listed),
  };
  const text = Buffer.from(`${JSON.stringify(manifest)}\n`);
  yield* wholeFile(manifestName, text);
  const sums = [`${digest(text)}  ${manifestName}`];
  for (const { name, size } of listed) {
    yield tarHeader({ name, size });
    if (size === null) continue;
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

/** The number of files, and their bytes together. */
function sumUp(listed: readonly TarEntry[]): { files: number; bytes: number } {
  const sizes = listed.flatMap(({ size }) => size ?? []);
  return { files: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** The files and directories below a directory, itself first. */
async function listFiles(directory: string, name: string): Promise<TarEntry[]> {
  const listed: TarEntry[] = [{ name, size: null }];
  const entries = await readdir(join(directory, name), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = `${name}/${entry.name}`;
    if (entry.isDirectory()) listed.push(...(await listFiles(directory, path)));
    else if (entry.isFile()) listed.push({ name: path, size: (await stat(join(directory, path))).size });
  }
  return listed;
}

/**
 * Unpacks a backup to a directory. It stops at the first file with an impossible size.
 * @throws {Refusal} with the fault of the file: the unpacked files are then of no use
 */
export async function unpackBackup(file: string, directory: string): Promise<BackupManifest> {
  const source = createReadStream(file);
  const plain = source.pipe(createGunzip());
  source.once('error', (error) => plain.destroy(error));
  try {
    const found = await stat(file);
    // The size of a pipe's content is unknown.
    const size = found.isFile() ? found.size : Infinity;
    const manifest = await takeOut(plain, directory, new AnnouncedSizes(size * maxExpansion));
    // Node's gunzip skips zero bytes behind the end of gzip, and anything that follows them.
    if (plain.bytesWritten < size && size < Infinity) throw new Refusal('something follows its end');
    return manifest;
  } catch (error) {
    throw explainUnpacking(file, error);
  } finally {
    source.destroy();
    plain.destroy();
  }
}

/** @throws {Refusal} without the name of the file; the errors of zlib, of the file system, and of the shape of the manifest */
async function takeOut(plain: AsyncIterable<Buffer>, directory: string, announced: AnnouncedSizes): Promise<Manifest> {
  const sums = new Map<string, string>();
  let manifest: Manifest | null = null;
  for await (const { name, size, content } of readTar(plain)) {
    if (manifest === null && (name !== manifestName || size === null))
      throw new Refusal('it is not a backup of "entryway backup"');
    const isOwn = [manifestName, sumsName].includes(name);
    if ((isOwn ? size === null : !isStoreName(name)) || sums.has(name)) throw new Refusal(`it has the file ${name}`);
    announced.check({ name, size }, isOwn, manifest);
    const path = join(directory, name);
    await mkdir(size === null ? path : dirname(path), { recursive: true, mode: 0o700 });
    if (size !== null) sums.set(name, await writeHashed(path, content));
    if (name === manifestName) manifest = await readManifest(path);
  }
  announced.checkAll(manifest);
  assertSums(await readFile(join(directory, sumsName), 'utf8').catch(() => ''), sums);
  return manifest ?? anyManifest.parse(null);
}

/** Compares the sizes in the headers of files with the possible ones, before anything of them is read or written. */
class AnnouncedSizes {
  readonly #max: number;
  #all = 0;
  #files = 0;
  #bytes = 0;

  /** @param max the greatest possible size of the archive, in bytes */
  constructor(max: number) {
    this.#max = max;
  }

  /** @throws {Refusal} if a file is too large, or there are more than the manifest says */
  check({ name, size }: TarEntry, isOwn: boolean, manifest: Manifest | null): void {
    if (size === null) return;
    this.#all += size;
    if (size > (isOwn ? maxOwnBytes : maxStoreBytes) || this.#all > this.#max) {
      throw new Refusal(`its file ${name} can't have ${size} bytes`);
    }
    if (isOwn) return;
    this.#files += 1;
    this.#bytes += size;
    const { files = Infinity, bytes = Infinity } = manifest ?? {};
    if (this.#files > files || this.#bytes > bytes) {
      throw new Refusal(
        `with its file ${name} it has more than the ${files} files of ${bytes} bytes that it announces`,
      );
    }
  }

  /** @throws {Refusal} if there are fewer files than the manifest says */
  checkAll(manifest: Manifest | null): void {
    const { files = this.#files, bytes = this.#bytes } = manifest ?? {};
    if (files === this.#files && bytes === this.#bytes) return;
    throw new Refusal(`it has ${this.#files} files of ${this.#bytes} bytes, and announces ${files} of ${bytes}`);
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

/** @throws {Refusal} if a newer version has written the backup */
async function readManifest(path: string): Promise<Manifest> {
  const manifest = anyManifest.parse(JSON.parse(await readFile(path, 'utf8')));
  if (manifest.formatVersion === backupVersion) return manifest;
  throw new Refusal(
    `it has the format ${manifest.formatVersion}, of Entryway ${manifest.entryway}; this version reads format ${backupVersion}`,
  );
}

/** @throws {Refusal} if a file is missing, or has another checksum */
function assertSums(text: string, found: ReadonlyMap<string, string>): void {
  const listed = new Map(
    text.split('\n').flatMap((line) => (line === '' ? [] : [[line.slice(66), line.slice(0, 64)]])),
  );
  for (const name of new Set([...listed.keys(), ...found.keys()])) {
    if (name !== sumsName && listed.get(name) !== found.get(name)) throw new Refusal(`its file ${name} is damaged`);
  }
  if (!listed.has('pgdata/PG_VERSION')) throw new Refusal('it has no database');
}

/** Whether JSON is unreadable, or not that of a manifest. */
function isNoManifest(error: unknown): boolean {
  return error instanceof z.ZodError || error instanceof SyntaxError;
}

function explainUnpacking(file: string, error: unknown): unknown {
  const refuse = (what: string): Refusal => new Refusal(`${file} can't be restored: ${what}. Nothing is restored.`);
  if (error instanceof Refusal) return refuse(error.message);
  if (isNoManifest(error)) return refuse('it is not a backup of "entryway backup"');
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'Z_BUF_ERROR') return refuse('it was cut off');
  return code?.startsWith('Z_') === true ? refuse('it is not what gzip has written, or is damaged') : error;
}
