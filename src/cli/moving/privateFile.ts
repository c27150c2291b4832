// Writes the files of exports and backups, which hold everything of a site or of a database: nobody but their owner may read
// them, and a file gets its name only when it is complete.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { reasonOf, UsageError } from '../run.ts';

/** Refuses a name under which no file can be, before anything is done for it. @throws {UsageError} for a directory */
export async function assertFileName(path: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() === true) throw new UsageError(`-o ${path} is a directory: give the name of a file.`);
}

/**
 * Writes a file under a temporary name beside it, and renames that once all of it is on the disk.
 * @param chunks what is written, through `transform`
 * @returns how many bytes the file has
 * @throws {UsageError} where the file cannot be made there; what `chunks` throws
 */
export async function writePrivateFile(
  path: string,
  chunks: AsyncIterable<Buffer>,
  transform: Transform,
): Promise<number> {
  // A process that was killed may have left one, and had the same id in another container.
  const draft = `${path}.${randomUUID()}.part`;
  const output = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  try {
    await once(output, 'open').catch((error: unknown) => {
      throw new UsageError(`Can't write ${path}: ${reasonOf(error)}`);
    });
    await pipeline(Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), transform, output);
    await rename(draft, path);
    await keepName(dirname(path));
    return output.bytesWritten;
  } catch (error) {
    output.destroy();
    await rm(draft, { force: true });
    throw error;
  }
}

/** Makes a new name last. Not every system can do that. */
async function keepName(path: string): Promise<void> {
  const directory = await open(path, 'r').catch(() => null);
  await directory?.sync().catch(() => undefined);
  await directory?.close();
}
