// Copies of the embedded database's files, which commands make to read a database while a service goes on with it. They are in
// a folder of its directory, so that they are as private as it is, and on the same disk.
import { constants } from 'node:fs';
import { cp, rename } from 'node:fs/promises';
import { join } from 'node:path';

/** The folder of an embedded database's copies. Each is a directory in which the copy can be opened. */
export function copiesDirectory(dataDir: string): string {
  return join(dataDir, 'copies');
}

/** Copies the files of a database to which nothing is written meanwhile. Where the disk can, they share their blocks. */
export async function copyStore(dataDir: string, name: string): Promise<void> {
  const target = join(copiesDirectory(dataDir), name);
  const draft = join(target, 'pgdata.new');
  await cp(join(dataDir, 'pgdata'), draft, { recursive: true, mode: constants.COPYFILE_FICLONE });
  await rename(draft, join(target, 'pgdata'));
}
