// Locks the embedded database's directory against a second process. PGlite itself does not, and writes of one of the
// two would be lost. It is the kernel's lock on an open file, which is released when the process ends, even if it
// crashes.
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** The process that holds the lock. It is in a file beside the lock, because a locked file cannot be read on Windows. */
const ownerShape = z.object({
  pid: z.number(),
  startedAt: z.string(),
  host: z.string(),
  /** The path of the socket on which it takes commands, if any. */
  socket: z.string().optional(),
});
type Owner = z.infer<typeof ownerShape>;

/** Another process has the directory open. The message names the process and an alternative. */
export class DirectoryInUseError extends Error {
  constructor(directory: string, owner: Owner | null) {
    const holder =
      owner === null ? 'another process' : `process ${owner.pid} on ${owner.host} (since ${owner.startedAt})`;
    super(
      `The embedded database in ${directory} is in use by ${holder}: stop that process, or set DATA_DIR to another ` +
        'directory. The commands "site", "user", "member", "token", "backup" and "migrate status" work while a service runs on it, ' +
        'once that has started.',
    );
    this.name = 'DirectoryInUseError';
  }
}

/** The directory cannot be locked, so that opening it would not be safe. */
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
  /** Releases the lock for other processes. */
  release(): void;
}

/**
 * Locks the directory for this process. If it is missing, creates it with permissions for this user only.
 * @throws {DirectoryInUseError} if it is locked already, even by this process
 * @throws {DirectoryLockError} if locks do not work here
 */
export async function lockDirectory(dataDir: string): Promise<DirectoryLock> {
  const directory = resolve(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const descriptor = openSync(join(directory, 'lock'), 'a', 0o600);
  try {
    if (!(await lockDescriptor(descriptor, directory))) throw new DirectoryInUseError(directory, readOwner(directory));
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

async function lockDescriptor(descriptor: number, directory: string): Promise<boolean> {
  try {
    const tryLock = await loadTryLock();
    return tryLock(descriptor);
  } catch (error) {
    throw new DirectoryLockError(directory, error);
  }
}

/**
 * Loads the function that locks an open file. The function returns true if it locked the file, and false if another process,
 * or this one by another descriptor, has locked it; it throws if the file system does not support locks.
 * @throws Error if the native module is missing: on such a platform only a PostgreSQL server can be used
 */
async function loadTryLock(): Promise<(descriptor: number) => boolean> {
  return (await import('fs-native-extensions')).tryLock;
}

function ownerFile(directory: string): string {
  return join(directory, 'lock.json');
}

/** Records the socket on which this process takes commands in the file beside the lock. */
export function recordSocket(dataDir: string, path: string): void {
  writeOwner(resolve(dataDir), path);
}

function writeOwner(directory: string, socket?: string): void {
  const owner: Owner = {
    pid: process.pid,
    startedAt: new Date(Date.now() - process.uptime() * 1000).toISOString(),
    host: hostname(),
    ...(socket !== undefined && { socket }),
  };
  const draft = `${ownerFile(directory)}.new`;
  writeFileSync(draft, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(draft, ownerFile(directory));
}

/** Reads the process that holds the lock, or held it before it crashed; null if the file is missing or unreadable. */
export function readOwner(directory: string): Owner | null {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(ownerFile(directory), 'utf8')));
  } catch {
    return null;
  }
}
