// Lets a command read the embedded database while a service has it open: from a copy of its files, which the service makes as of
// one moment. Each copy has a lock beside it, so that those of commands that were killed are found and deleted.
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { copiesDirectory } from '../../database/copies.ts';
import { lockFile } from '../transfer/fileLock.ts';
import type { OperatorAccess } from '../operator.ts';

const words = {
  busy: 'Another command uses this copy.',
  remedy: 'Check DATA_DIR, and that this user may write there.',
};

/**
 * Works with a copy of the embedded database, which is deleted afterwards.
 * @param work takes the directory of the copy, in which it can be opened
 * @throws what the call and the work throw
 */
export async function withCopy<T>(
  { call }: Pick<OperatorAccess, 'call'>,
  dataDir: string,
  work: (directory: string) => Promise<T>,
): Promise<T> {
  const copies = copiesDirectory(dataDir);
  await mkdir(copies, { recursive: true, mode: 0o700 });
  await deleteLeft(copies);
  const name = randomUUID();
  const unlock = await lockFile(lockPath(copies, name), words);
  const directory = join(copies, name);
  try {
    await mkdir(directory, { mode: 0o700 });
    await call('copyDatabase', { name });
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
    unlock();
  }
}

/** Deletes the copies that nobody uses any more. */
async function deleteLeft(copies: string): Promise<void> {
  for (const entry of await readdir(copies, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const unlock = await lockFile(lockPath(copies, entry.name), words).catch(() => null);
    if (unlock === null) continue;
    await rm(join(copies, entry.name), { recursive: true, force: true });
    unlock();
  }
}

function lockPath(copies: string, name: string): string {
  return join(copies, `${name}.lock`);
}
