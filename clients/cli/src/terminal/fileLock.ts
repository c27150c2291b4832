// Keeps a second process from the files that a command works on.
import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { reasonOf, Refusal } from './refusal.ts';

/** What a refusal says: that another process has the lock, and what to do where the file can't be locked. */
interface LockWords {
  readonly busy: string;
  readonly remedy: string;
}

/**
 * Locks a file, which is made for that. The lock is the kernel's, and ends with the process. Where the native part of the lock
 * is missing, nothing is locked.
 * @returns a function that unlocks
 * @throws {Refusal} where another process has the lock, or the file can't be locked
 */
export async function lockFile(path: string, { busy, remedy }: LockWords): Promise<() => void> {
  const native = await import('fs-native-extensions').catch(() => null);
  if (native === null) return () => undefined;
  try {
    const descriptor = openSync(path, 'a', 0o600);
    const unlock = (): void => {
      rmSync(path, { force: true });
      closeSync(descriptor);
    };
    // The process that held the lock removes the file, so the file opened here may not be the one at the path any more.
    if (native.tryLock(descriptor) && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino)
      return unlock;
    closeSync(descriptor);
  } catch (error) {
    throw new Refusal(`Can't lock ${path}: ${reasonOf(error)}. ${remedy}`);
  }
  throw new Refusal(busy);
}
