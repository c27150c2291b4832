// The lock that keeps a second process out of the embedded database's directory. PGlite itself would let it in, and writes of
// one of the two would be lost. It is the kernel's lock on an open file, which ends with the process, however that ends.
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The process that has the directory, in a file beside the lock, since on Windows a locked file cannot be read. */
const ownerShape = z.object({ pid: z.number(), startedAt: z.string(), host: z.string() });
type Owner = z.infer<typeof ownerShape>;

/** Another process has the directory open. The message names it, and what to do instead. */
export class DirectoryInUseError extends Error {
  constructor(directory: string, owner: Owner | null) {
    const holder =
      owner === null ? 'another process' : `process ${owner.pid} on ${owner.host} (since ${owner.startedAt})`;
    super(
      `The embedded database in ${directory} is in use by ${holder}: stop that process, ` +
        'or make the change through the running service, with the GraphQL management mutations',
    );
    this.name = 'DirectoryInUseError';
  }
}

/** The directory cannot be locked here, so that opening it would not be safe. */
export class DirectoryLockError extends Error {
  constructor(directory: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message.split('\n', 1)[0] : String(cause);
    super(
      `The embedded database in ${directory} cannot be locked against other processes on this system (${reason}): ` +
        'put it on a local disk of a supported platform, or set DATABASE_URL to use a PostgreSQL server',
      { cause },
    );
    this.name = 'DirectoryLockError';
  }
}

export interface DirectoryLock {
  /** Lets the next process in. */
  release(): void;
}

/**
 * Locks the directory for this process; makes it if it is missing, for this user alone.
 * @throws {DirectoryInUseError} if it is locked already, even by this process
 * @throws {DirectoryLockError} if locks do not work here
 */
export async function lockDirectory(dataDir: string): Promise<DirectoryLock> {
  const directory = resolve(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const descriptor = openSync(join(directory, 'lock'), 'a', 0o600);
  try {
    if (!(await lockFile(descriptor, directory))) throw new DirectoryInUseError(directory, readOwner(directory));
    writeOwner(directory);
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
  return {
    release() {
      rmSync(ownerFile(directory), { force: true });
      closeSync(descriptor);
    },
  };
}

async function lockFile(descriptor: number, directory: string): Promise<boolean> {
  try {
    const tryLock = await loadTryLock();
    return tryLock(descriptor);
  } catch (error) {
    throw new DirectoryLockError(directory, error);
  }
}

/**
 * Loads the kernel's lock on an open file, which returns whether it locked the file; false if another process has it locked,
 * or this one through another descriptor. It throws if the file system has no locks.
 * @throws where its native part is missing, as on some platforms on which PostgreSQL alone can be used
 */
export async function loadTryLock(): Promise<(descriptor: number) => boolean> {
  return (await import('fs-native-extensions')).tryLock;
}

function ownerFile(directory: string): string {
  return join(directory, 'lock.json');
}

function writeOwner(directory: string): void {
  const owner: Owner = {
    pid: process.pid,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    host: hostname(),
  };
  const draft = `${ownerFile(directory)}.new`;
  writeFileSync(draft, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(draft, ownerFile(directory));
}

/** Null if the file is missing or unreadable; the message does without it then. */
function readOwner(directory: string): Owner | null {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(ownerFile(directory), 'utf8')));
  } catch {
    return null;
  }
}
