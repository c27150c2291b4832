// Writes the file that an option -o names. A regular file gets its name once it is complete, keeps its owner and its mode, and stays
// where a symbolic link leads. What is no regular file (a pipe, a device) is written into: it is never replaced.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants, createWriteStream, type Stats } from 'node:fs';
import { chmod, chown, lstat, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PassThrough, Readable, type Transform, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { writeToStream } from './output.ts';
import { reasonOf, Refusal, UsageError } from './refusal.ts';

interface OutputOptions {
  /** What the chunks go through before they are written. */
  readonly transform?: Transform;
  /** Whether only its owner may read the file. */
  readonly isPrivate?: boolean;
}

/** What was written. */
interface Written {
  readonly bytes: number;
  /** Whether it went to standard output: then nothing may follow it there. */
  readonly toStdout: boolean;
}

/** Where a path leads. */
type Target =
  | { readonly kind: 'file'; readonly path: string; readonly old: Stats | null }
  | { readonly kind: 'special'; readonly path: string }
  | { readonly kind: 'descriptor'; readonly descriptor: number };

/** Sends all chunks to a stream, or to a function that takes them. */
type Sending = (output: Writable | ((chunks: AsyncIterable<Buffer | string>) => Promise<void>)) => Promise<void>;

/** The most symbolic links that are followed, as Linux has it (path_resolution(7)). */
const maxLinks = 40;

/** Refuses a name under which no file can be, before anything is done for it. @throws {UsageError} for a directory */
export async function assertFileName(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) throw new UsageError(`-o ${path} is a directory: give the name of a file.`);
}

/**
 * Writes what `-o <path>` names.
 * @throws {UsageError} for a directory; {Refusal} where it can't be written; what `chunks` throws
 */
export async function writeOutput(
  path: string,
  chunks: AsyncIterable<Buffer | string>,
  { transform = new PassThrough(), isPrivate = false }: OutputOptions = {},
): Promise<Written> {
  await assertFileName(path);
  let failed: unknown;
  // Tells errors of what is written from those of writing it.
  const watched = async function* (): AsyncGenerator<Buffer | string, void> {
    try {
      yield* chunks;
    } catch (error) {
      failed = error;
      throw error;
    }
  };
  const source = Readable.from(watched(), { objectMode: true, highWaterMark: 1 });
  let bytes = 0;
  const counted = async function* (all: AsyncIterable<Buffer | string>): AsyncGenerator<Buffer | string, void> {
    for await (const chunk of all) {
      bytes += Buffer.byteLength(chunk);
      yield chunk;
    }
  };
  const send: Sending = (output) =>
    typeof output === 'function'
      ? pipeline(source, transform, counted, output)
      : pipeline(source, transform, counted, output);
  try {
    const target = await findTarget(path);
    if (target.kind === 'file') await replaceFile(target, send, isPrivate);
    else await send(await openSpecial(target));
    return { bytes, toStdout: target.kind === 'descriptor' && target.descriptor === 1 };
  } catch (error) {
    if (error === failed || error instanceof Refusal) throw error;
    throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
  } finally {
    source.destroy();
  }
}

/** Follows the symbolic links of a path. @throws {Refusal} for a link that may be a trap, and for a circle of links */
async function findTarget(given: string): Promise<Target> {
  let path = resolve(given);
  for (let links = 0; links < maxLinks; links += 1) {
    const directory = await realpath(dirname(path));
    // /dev/stdout and /dev/fd/1 lead here: the descriptor is what is meant, and not the file that it has open.
    const owner = /^\/proc\/(\d+)(\/task\/\d+)?\/fd$/.exec(directory)?.[1];
    if (owner !== undefined) {
      const isOwn = Number(owner) === process.pid;
      return isOwn ? { kind: 'descriptor', descriptor: Number(basename(path)) } : { kind: 'special', path };
    }
    const found = await lstat(path).catch(ignoreMissing);
    if (found?.isSymbolicLink() !== true) {
      return found === null || found.isFile() ? { kind: 'file', path, old: found } : { kind: 'special', path };
    }
    await assertTrusted(path, directory, found);
    path = resolve(directory, await readlink(path));
  }
  throw new Refusal(`${given} leads in a circle of symbolic links.`);
}

/**
 * Refuses a link that somebody else has put into a directory in which everybody may make files, such as /tmp: it may lead to any file
 * of this user (as Linux does with fs.protected_symlinks, proc_sys_fs(5)).
 */
async function assertTrusted(path: string, directory: string, link: Stats): Promise<void> {
  const { mode, uid } = await stat(directory);
  const isOpenToAll = (mode & constants.S_IWOTH) !== 0 && (mode & 0o1000) !== 0;
  if (isOpenToAll && link.uid !== process.geteuid?.() && link.uid !== uid) {
    throw new Refusal(`${path} is a symbolic link that another user has made: name the file that is meant.`);
  }
}

/** Opens what is no regular file, as it is. The streams that the process has already are not opened a second time. */
async function openSpecial(target: Exclude<Target, { kind: 'file' }>): Promise<Parameters<Sending>[0]> {
  if (target.kind === 'special') return (await open(target.path, constants.O_WRONLY)).createWriteStream();
  const { descriptor } = target;
  if (descriptor === 1) return (chunks) => writeToStream(process.stdout, chunks);
  if (descriptor === 2) return (chunks) => writeToStream(process.stderr, chunks);
  return createWriteStream('', { fd: descriptor });
}

/** Writes a file under a temporary name beside it, and renames that once all of it is on the disk. */
async function replaceFile(
  { path, old }: Extract<Target, { kind: 'file' }>,
  send: Sending,
  isPrivate: boolean,
): Promise<void> {
  // A process that was killed may have left one, and had the same id in another container.
  const draft = join(dirname(path), `${basename(path)}.${randomUUID()}.part`);
  const mode = isPrivate || old !== null ? 0o600 : 0o666;
  const output = createWriteStream(draft, { flags: 'wx', mode, flush: true });
  try {
    await once(output, 'open');
    if (old !== null) await keepOwnerAndMode(draft, old, isPrivate);
    await send(output);
    await rename(draft, path);
    await keepName(dirname(path));
  } catch (error) {
    output.destroy();
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

/**
 * Gives a file the owner, the group and the mode of the one that it replaces, as far as this user may. Where the group is another
 * one, it gets no rights; nobody but the owner gets any to a private file.
 */
async function keepOwnerAndMode(path: string, old: Stats, isPrivate: boolean): Promise<void> {
  await chown(path, old.uid, old.gid).catch(() => chown(path, -1, old.gid).catch(() => undefined));
  const { gid } = await stat(path);
  const others = isPrivate ? 0o077 : gid === old.gid ? 0 : 0o070;
  await chmod(path, old.mode & 0o777 & ~others);
}

/** Makes a new name last. Not every system can do that. */
async function keepName(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}

function ignoreMissing(error: unknown): null {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  throw error;
}
