// Keeps the references among rows until all rows are stored: in a file beside the state of the import, which grows with it, or in
// memory where there is no state.
import { createReadStream } from 'node:fs';
import { appendFile, rm, truncate } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { reasonOf, Refusal } from '../../terminal/refusal.ts';
import type { InputFile } from './inputFiles.ts';
import type { ReadyRow } from '../columns/prepareRows.ts';
import type { StoredRow } from '../../service/remoteEntries.ts';

/** A row whose references are to be set. */
export interface LinkRow extends ReadyRow {
  /** The entry that the row became. */
  readonly stored: StoredRow;
}

/** What the file has of it, in a line. */
interface LinkLine extends Pick<LinkRow, 'place' | 'given' | 'stored'> {
  readonly path: string;
  readonly links: ReadyRow['links'];
}

export class LinkFile {
  readonly #path: string | null;
  #lines: string[] = [];

  /** @param statePath the file of the import's state; null: it is not kept */
  constructor(statePath: string | null) {
    this.#path = statePath === null ? null : `${statePath}.links`;
  }

  /** Forgets what was written after the state that an import goes on from: these rows are settled again. @throws {Refusal} */
  async truncate(bytes: number): Promise<void> {
    if (this.#path === null) return;
    if (bytes === 0) await this.remove();
    else await truncate(this.#path, bytes).catch((error: unknown) => this.#fail(error));
  }

  /** Adds rows. @returns how many bytes were written @throws {Refusal} where they can't be */
  async append(rows: readonly LinkRow[]): Promise<number> {
    const lines = rows.map(({ input: { path }, place, given, stored, links }) => {
      const line: LinkLine = { path, place, stored, links, ...(given !== undefined && { given }) };
      return `${JSON.stringify(line)}\n`;
    });
    if (lines.length === 0) return 0;
    if (this.#path === null) this.#lines.push(...lines);
    else await appendFile(this.#path, lines.join(''), { mode: 0o600 }).catch((error: unknown) => this.#fail(error));
    return Buffer.byteLength(lines.join(''));
  }

  /** The rows, in their order. Each is sent as an update of its references alone. */
  async *read(inputs: readonly InputFile[], bytes: number): AsyncGenerator<LinkRow> {
    if (bytes === 0) return;
    const lines =
      this.#path === null ? this.#lines : createInterface({ input: createReadStream(this.#path), crlfDelay: Infinity });
    for await (const line of lines) {
      const { path, links = {}, ...row } = JSON.parse(line) as LinkLine;
      const input = inputs.find((each) => each.path === path);
      if (input === undefined) throw new Error(`${path} is not imported`);
      yield { ...row, input, members: links, json: JSON.stringify(links), value: null, comparedAs: null };
    }
  }

  async remove(): Promise<void> {
    if (this.#path !== null) await rm(this.#path, { force: true });
    this.#lines = [];
  }

  #fail(error: unknown): never {
    throw new Refusal(`Can't write ${this.#path}: ${reasonOf(error)}.`);
  }
}
