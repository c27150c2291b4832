// Keeps a second import of the same out while one is under way: both would go on from the same state, and store rows twice.
import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { reasonOf, Refusal } from '../run.ts';

/**
 * Holds a state file for this process, by the kernel's lock on a file beside it, so that it ends with the process, however
 * that ends.
 * @returns what lets it go
 * @throws {Refusal} where another process holds it, or nothing can be locked there
 */
export async function hold(path: string): Promise<() => void> {
  const tryLock = await loadTryLock();
  if (tryLock === null) return () => undefined;
  const lock = `${path}.lock`;
  try {
    const descriptor = openSync(lock, 'a', 0o600);
    if (tryLock(descriptor) && isAt(descriptor, lock)) return () => release(descriptor, lock);
    closeSync(descriptor);
  } catch (error) {
    throw new Refusal(`Can't lock ${lock}: ${reasonOf(error)}. Give another directory for it: --state-dir.`);
  }
  throw new Refusal(`Another import of this is under way (${path}): wait for it, or stop it.`);
}

/** Where the file can't be taken away it stays, and keeps nobody out. */
function release(descriptor: number, lock: string): void {
  try {
    rmSync(lock, { force: true });
  } catch {
    // The import is over all the same.
  }
  closeSync(descriptor);
}

/** Null on platforms that its native part is missing on. */
async function loadTryLock(): Promise<((descriptor: number) => boolean) | null> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch {
    return null;
  }
}

/** Whether an open file is still the one of a name: the one that held it before takes it away. */
function isAt(descriptor: number, path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
}
