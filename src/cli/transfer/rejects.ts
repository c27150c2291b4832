// The rows that did not make it, in a file beside each input, in the order of the input.
import { open, rm, stat, truncate, type FileHandle } from 'node:fs/promises';
import { reasonOf, Refusal } from '../run.ts';
import type { Input } from './inputs.ts';
import type { Rejection } from './rows.ts';

export class Rejects {
  readonly #suffix: string;
  readonly #files = new Map<string, { handle: FileHandle; length: number }>();

  /** @param suffix what the files' names have behind the inputs' */
  constructor(suffix: string) {
    this.#suffix = suffix;
  }

  /** Makes the files what they were at a point: rows that were rejected after it are rejected again. */
  async rewind(inputs: readonly Input[], lengths: Readonly<Record<string, number>>): Promise<void> {
    for (const input of inputs) {
      const path = this.#pathOf(input);
      const length = lengths[path] ?? 0;
      const { size } = await stat(path).catch(() => ({ size: 0 }));
      if (length === 0) await rm(path, { force: true });
      else if (size > length) await truncate(path, length);
    }
  }

  /** Adds rows to the files. Returns how long those are then. @throws {Refusal} where they can't be written */
  async add(rejections: readonly Rejection[]): Promise<Record<string, number>> {
    const lengths: Record<string, number> = {};
    for (const [path, text] of this.#texts(rejections)) {
      try {
        const file = this.#files.get(path) ?? (await this.#open(path));
        await file.handle.appendFile(text);
        file.length += Buffer.byteLength(text);
        lengths[path] = file.length;
      } catch (error) {
        throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
      }
    }
    return lengths;
  }

  async close(): Promise<void> {
    for (const { handle } of this.#files.values()) await handle.close();
    this.#files.clear();
  }

  #texts(rejections: readonly Rejection[]): Map<string, string> {
    const texts = new Map<string, string>();
    for (const { input, line, reason, errors = [], row = null } of rejections) {
      const path = this.#pathOf(input);
      texts.set(path, `${texts.get(path) ?? ''}${JSON.stringify({ line, reason, errors, row })}\n`);
    }
    return texts;
  }

  async #open(path: string): Promise<{ handle: FileHandle; length: number }> {
    const handle = await open(path, 'a');
    const file = { handle, length: (await handle.stat()).size };
    this.#files.set(path, file);
    return file;
  }

  #pathOf({ path }: Input): string {
    return `${path === '-' ? 'stdin' : path}${this.#suffix}`;
  }
}
