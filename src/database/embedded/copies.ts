// Copies of the embedded database's files, from which commands read while a service continues to use the database. They
// are in a folder of its directory, so that they are as private as it is, and on the same disk.
import { constants } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of an embedded database's copies. Each is a directory in which the copy can be opened. */
export function copiesDirectory(dataDir: string): string {
  return join(dataDir, 'copies');
}

/**
 * Copies the files of a database that is not written to meanwhile. On file systems that support it, the copies reuse
 * the blocks.
 */
export async function copyStore(dataDir: string, name: string): Promise<void> {
  const target = join(copiesDirectory(dataDir), name);
  const draft = join(target, 'pgdata.new');
  await cp(join(dataDir, 'pgdata'), draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await rename(draft, join(target, 'pgdata'));
}
