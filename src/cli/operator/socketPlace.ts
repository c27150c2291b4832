// Creates the socket on which a service listens for commands, which only its owner may open.
import { randomUUID } from 'node:crypto';
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** Maximum length of a socket's path in bytes on all systems: 107 on Linux, 103 on macOS. */
const maxPathBytes = 103;

export interface PrivateSocket {
  readonly path: string;
  /** Removes the socket's files, once the server is closed. */
  readonly remove: () => void;
}

/**
 * Makes a server listen on a private socket: in a directory of the data directory, or if that is not possible (its path
 * is too long, or its file system has no sockets or no permissions), in a new directory for temporary files. On Windows
 * it is a named pipe with a random name, to which only its owner and administrators may write.
 * @throws Error if neither is possible
 */
export async function listenPrivately(server: Server, dataDir: string): Promise<PrivateSocket> {
  if (process.platform === 'win32') {
    const path = `\\\\.\\pipe\\entryway-${randomUUID()}`;
    await listenAt(server, path);
    return { path, remove: () => undefined };
  }
  try {
    const path = await listenIn(server, makePrivate(join(resolve(dataDir), 'commands')));
    return { path, remove: () => rmSync(path, { force: true }) };
  } catch {
    const directory = mkdtempSync(join(tmpdir(), 'entryway-'));
    const remove = (): void => rmSync(directory, { recursive: true, force: true });
    const path = await listenIn(server, directory).catch((error: unknown) => {
      remove();
      throw error;
    });
    return { path, remove };
  }
}

/** Whether a socket is in a directory that only its owner may enter, and that owner is the data directory's. */
export function isPrivateSocket(path: string, dataDir: string): boolean {
  if (process.platform === 'win32') return true;
  const directory = lstatSync(dirname(path), { throwIfNoEntry: false });
  const owner = lstatSync(resolve(dataDir), { throwIfNoEntry: false })?.uid;
  return directory !== undefined && directory.uid === owner && isClosedToOthers(directory);
}

function isClosedToOthers({ mode }: { mode: number }): boolean {
  return (mode & 0o077) === 0;
}

/** Makes a directory that only this user may enter, or takes one that an earlier process left. */
function makePrivate(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  // A link would lead the socket elsewhere.
  if (!lstatSync(directory).isDirectory()) throw new Error(`${directory} is not a directory`);
  chmodSync(directory, 0o700);
  if (!isClosedToOthers(lstatSync(directory))) throw new Error(`${directory} cannot be closed to others`);
  return directory;
}

/** Listens in a private directory, which no other service uses: a socket there was left by a crash. @returns its path */
async function listenIn(server: Server, directory: string): Promise<string> {
  const path = join(directory, 'socket');
  if (Buffer.byteLength(path) > maxPathBytes) throw new Error(`${path} is too long for a socket`);
  rmSync(path, { force: true });
  await listenAt(server, path);
  chmodSync(path, 0o600);
  return path;
}

function listenAt(server: Server, path: string): Promise<void> {
  return new Promise((resolve, fail) => {
    server.once('error', fail);
    server.listen(path, () => {
      server.off('error', fail);
      resolve();
    });
  });
}
