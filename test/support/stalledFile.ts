// A file that a command reads twice, as `site import` does, and that gives only its beginning the second time: the command then
// waits for the rest for as long as a test wants. It is a named pipe.
import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync, renameSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a pipe holds, so that it takes all of a file at once. */
const maxBytes = 64 * 1024;
const patienceMilliseconds = 60_000;

export interface StalledFile {
  readonly path: string;
  /** Resolves once the command has all of its first reading, and the beginning of its second one. */
  readonly stalled: Promise<void>;
  /** Ends the file there. */
  readonly end: () => void;
}

/**
 * Makes such a file.
 * @param content all of it, 64 KiB at most
 * @param beginning how many bytes the second reading gets
 */
export function makeStalledFile(directory: string, content: Buffer, beginning: number): StalledFile {
  if (content.length > maxBytes) throw new Error(`The file has ${content.length} bytes.`);
  const [path, second] = [join(directory, 'stalled.gz'), join(directory, 'second.gz')];
  execFileSync('mkfifo', [path, second]);
  let held: number | null = null;
  const give = async (): Promise<void> => {
    const first = await openForReader(path);
    // Who opens the path from now on gets the other pipe.
    renameSync(second, path);
    writeSync(first, content);
    closeSync(first);
    held = await openForReader(path);
    writeSync(held, content.subarray(0, beginning));
  };
  return {
    path,
    stalled: give(),
    end: () => {
      if (held !== null) closeSync(held);
      held = null;
    },
  };
}

/** Opens a pipe once somebody reads it. */
async function openForReader(path: string): Promise<number> {
  for (const giveUpAt = performance.now() + patienceMilliseconds; ;) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO' || performance.now() > giveUpAt) throw error;
    }
    await sleep(20);
  }
}
