// The lock that keeps a second process out of the embedded database's directory: PGlite itself would let it in, and
// writes of one of the two would be lost. It is the kernel's lock on an open file, so that it ends with the process,
// however that ends.
import { closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { z } from 'zod';

/** Who holds the directory, as told by a file beside the lock (on Windows a locked file cannot be read). */
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
 * Takes the directory for this process; makes it where it is missing, for this user alone.
 * @throws {DirectoryInUseError} where somebody holds it, this very process included
 * @throws {DirectoryLockError} where locks do not work
 */
export async function lockDirectory(dataDir: string): Promise<DirectoryLock> {
  const directory = resolve(dataDir);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const tryLock = await loadTryLock(directory);
  const descriptor = openSync(join(directory, 'lock'), 'a', 0o600);
  try {
    if (!attempt(tryLock, descriptor, directory)) throw new DirectoryInUseError(directory, readOwner(directory));
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

type TryLock = (fileDescriptor: number) => boolean;

/** Loaded when needed, since the native part is missing on some platforms that PostgreSQL users may run on. */
async function loadTryLock(directory: string): Promise<TryLock> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch (error) {
    throw new DirectoryLockError(directory, error);
  }
}

function attempt(tryLock: TryLock, descriptor: number, directory: string): boolean {
  try {
    return tryLock(descriptor);
  } catch (error) {
    throw new DirectoryLockError(directory, error);
  }
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

/** Null where the file is missing or unreadable: then the message does without. */
function readOwner(directory: string): Owner | null {
  try {
    return ownerShape.parse(JSON.parse(readFileSync(ownerFile(directory), 'utf8')));
  } catch {
    return null;
  }
}
