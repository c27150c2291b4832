// Where an export goes: a file that has its name once it is whole, or standard output.
import { open, rename, rm } from 'node:fs/promises';
import { once } from 'node:events';
import { reasonOf, Refusal } from '../run.ts';

export interface Output {
  /** Writes, as fast as the reader takes it. Returns whether anybody still reads. */
  readonly write: (text: string) => Promise<boolean>;
  readonly finish: () => Promise<void>;
  /** Leaves nothing behind. */
  readonly discard: () => Promise<void>;
}

/** @throws {Refusal} where the file can't be written */
export async function openOutput(path: string | undefined): Promise<Output> {
  if (path === undefined) return standardOutput();
  const draft = `${path}.${process.pid}.part`;
  const failing = (error: unknown): never => {
    throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
  };
  const file = await open(draft, 'wx').catch(failing);
  return {
    write: async (text) => {
      await file.appendFile(text).catch(failing);
      return true;
    },
    finish: async () => {
      await file.sync().catch(failing);
      await file.close();
      await rename(draft, path).catch(failing);
    },
    discard: async () => {
      await file.close().catch(() => undefined);
      await rm(draft, { force: true });
    },
  };
}

function standardOutput(): Output {
  const { stdout } = process;
  return {
    write: async (text) => {
      if (!stdout.writable) return false;
      if (!stdout.write(text))
        await Promise.race([once(stdout, 'drain'), once(stdout, 'close')]).catch(() => undefined);
      return stdout.writable;
    },
    finish: () => Promise.resolve(),
    discard: () => Promise.resolve(),
  };
}
