// Lets a command read the embedded database while a service has it open: from a copy of its files, which the service
// makes as of one moment. Each copy has a lock beside it, so that copies of killed commands are found and deleted.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { copiesDirectory } from '../../database/embedded/copies.ts';
import { lockFile } from '../../../clients/cli/src/terminal/fileLock.ts';
import type { OperatorAccess } from '../operator/operator.ts';
import { Refusal } from '../../../clients/cli/src/terminal/refusal.ts';
import { interruptOnSignals } from '../../../clients/cli/src/terminal/interruption.ts';

const words = {
  busy: 'Another command uses this copy.',
  remedy: 'Check DATA_DIR, and that this user may write there.',
};

/**
 * Works with a copy of the embedded database, which is deleted afterwards, also if a signal stops the command.
 * @param work takes the directory of the copy, in which it can be opened, and the signal that stops the command
 * @throws the errors of the call and the work; {Refusal} if the command was stopped before the copy was made
 */
export async function withCopy<T>(
  { call }: Pick<OperatorAccess, 'call'>,
  dataDir: string,
  work: (directory: string, stopping: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = interruptOnSignals();
  const copies = copiesDirectory(dataDir);
  const name = randomUUID();
  const directory = join(copies, name);
  try {
    await makeDirectory(copies, dataDir);
    await deleteAbandonedCopies(dataDir);
    const unlock = await lockFile(lockPath(copies, name), words);
    try {
      await giveToOwner(lockPath(copies, name), dataDir);
      await makeDirectory(directory, dataDir);
      await call('copyDatabase', { name });
      if (interruption.stopping.aborted) throw new Refusal('The command was stopped. No file was written.');
      return await work(directory, interruption.stopping);
    } finally {
      await rm(directory, { recursive: true, force: true });
      unlock();
    }
  } finally {
    interruption.release();
  }
}

/** Makes a directory in which the service can write, whatever user runs the command. */
async function makeDirectory(path: string, dataDir: string): Promise<void> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  await giveToOwner(path, dataDir);
}

/** Gives a directory that root has made to the owner of the database, as whom the service runs. */
async function giveToOwner(path: string, dataDir: string): Promise<void> {
  if (process.getuid?.() !== 0 || !existsSync(path)) return;
  const { uid, gid } = await stat(dataDir);
  await chown(path, uid, gid);
}

/** Deletes the unused copies of commands that were killed. */
export async function deleteAbandonedCopies(dataDir: string): Promise<void> {
  const copies = copiesDirectory(dataDir);
  for (const entry of await readdir(copies, { withFileTypes: true }).catch(() => [])) {
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
