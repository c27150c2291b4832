// Writes the rows that were not stored to a file for each input, in the order of the input.
import { appendFile, rm, truncate } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { reasonOf, Refusal } from '../../terminal/refusal.ts';
import { stateDigest } from '../../terminal/storedState.ts';
import type { InputFile } from './inputFiles.ts';
import type { RejectedRow } from './rows.ts';

/** The files' lengths in bytes, by path. */
export type RejectLengths = Record<string, number>;

/** Where the files are. */
interface RejectPlace {
  readonly inputs: readonly InputFile[];
  /** The end of their names. */
  readonly suffix: string;
  /** The directory that they are in; absent: each stands beside its input. */
  readonly directory: string | undefined;
}

export class RejectFiles {
  readonly #paths: ReadonlyMap<string, string>;
  readonly #lengths: RejectLengths;

  /** @param lengths is kept up to date */
  constructor({ inputs, suffix, directory }: RejectPlace, lengths: RejectLengths) {
    const names = inputs.map(({ path }) => basename(path === '-' ? 'stdin' : path));
    this.#lengths = lengths;
    this.#paths = new Map(
      inputs.map(({ path }) => {
        if (directory === undefined) return [path, `${path === '-' ? 'stdin' : path}${suffix}`];
        const name = basename(path === '-' ? 'stdin' : path);
        // Inputs of several directories may have one name.
        const isShared = names.indexOf(name) !== names.lastIndexOf(name);
        return [path, join(directory, `${name}${isShared ? `-${stateDigest(path).slice(0, 8)}` : ''}${suffix}`)];
      }),
    );
  }

  /** Truncates the files to where an import continues: the rows after that are read, and rejected, again. @throws {Refusal} */
  async truncate(): Promise<void> {
    for (const path of this.#paths.values()) {
      const length = this.#lengths[path] ?? 0;
      await (length === 0 ? rm(path, { force: true }) : truncate(path, length)).catch((error: unknown) =>
        failToWrite(path, error),
      );
    }
  }

  /** Appends rows to the files. @throws {Refusal} where they can't be written */
  async append(rows: readonly RejectedRow[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const { input, place, reason, errors = [], row = null } of rows) {
      const path = this.#paths.get(input.path) ?? '';
      const where = input.format === 'json' ? { index: place } : { line: place };
      texts.set(path, `${texts.get(path) ?? ''}${JSON.stringify({ ...where, reason, errors, row })}\n`);
    }
    for (const [path, text] of texts) {
      await appendFile(path, text).catch((error: unknown) => failToWrite(path, error));
      this.#lengths[path] = (this.#lengths[path] ?? 0) + Buffer.byteLength(text);
    }
  }
}

function failToWrite(path: string, error: unknown): never {
  throw new Refusal(`Can't write ${path}: ${reasonOf(error)}. Give another directory: --state-dir.`);
}
