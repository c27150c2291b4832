// Keeps a second import of the same out while one is under way: both would go on from the same state, and store rows twice.
import { closeSync, fstatSync, openSync, rmSync, statSync } from 'node:fs';
import { Refusal } from '../run.ts';

/**
 * Holds a state file for this process, by the kernel's lock on a file beside it, so that it ends with the process, however
 * that ends.
 * @returns what lets it go
 * @throws {Refusal} where another process holds it, or nothing can be written there
 */
export async function hold(path: string): Promise<() => void> {
  const tryLock = await loadTryLock();
  if (tryLock === null) return () => undefined;
  const lock = `${path}.lock`;
  const descriptor = opened(lock);
  if (!tryLock(descriptor) || !isAt(descriptor, lock)) {
    closeSync(descriptor);
    throw new Refusal(`Another import of this is under way (${path}): wait for it, or stop it.`);
  }
  return () => {
    rmSync(lock, { force: true });
    closeSync(descriptor);
  };
}

/** Null on platforms that its native part is missing on. */
async function loadTryLock(): Promise<((descriptor: number) => boolean) | null> {
  try {
    return (await import('fs-native-extensions')).tryLock;
  } catch {
    return null;
  }
}

function opened(lock: string): number {
  try {
    return openSync(lock, 'a', 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Refusal(`Can't write ${lock}: ${reason}. Give a directory for it: --state-dir.`);
  }
}

/** Whether an open file is still the one of a name: the one that held it before takes it away. */
function isAt(descriptor: number, path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(descriptor).ino;
}
