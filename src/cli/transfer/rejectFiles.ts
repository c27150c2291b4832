// Writes the rows that were not stored to a file beside each input, in the order of the input.
import { appendFile, rm, truncate } from 'node:fs/promises';
import { reasonOf, Refusal } from '../run.ts';
import type { InputFile, RejectedRow } from './readRows.ts';

/** The files' lengths in bytes, by path. */
export type RejectLengths = Record<string, number>;

/** Truncates the files to where an import continues: the rows after that are read, and rejected, again. */
export async function truncateRejects(
  inputs: readonly InputFile[],
  suffix: string,
  lengths: RejectLengths,
): Promise<void> {
  for (const path of inputs.map((input) => rejectPath(input, suffix))) {
    const length = lengths[path] ?? 0;
    if (length === 0) await rm(path, { force: true });
    else await truncate(path, length).catch((error: unknown) => failToWrite(path, error));
  }
}

/**
 * Appends rows to the files.
 * @param lengths are updated to the new lengths of the files
 * @throws {Refusal} where the files can't be written
 */
export async function appendRejects(
  rows: readonly RejectedRow[],
  suffix: string,
  lengths: RejectLengths,
): Promise<void> {
  const texts = new Map<string, string>();
  for (const { input, place, reason, errors = [], row = null } of rows) {
    const path = rejectPath(input, suffix);
    const where = input.format === 'json' ? { index: place } : { line: place };
    texts.set(path, `${texts.get(path) ?? ''}${JSON.stringify({ ...where, reason, errors, row })}\n`);
  }
  for (const [path, text] of texts) {
    await appendFile(path, text).catch((error: unknown) => failToWrite(path, error));
    lengths[path] = (lengths[path] ?? 0) + Buffer.byteLength(text);
  }
}

function rejectPath({ path }: InputFile, suffix: string): string {
  return `${path === '-' ? 'stdin' : path}${suffix}`;
}

function failToWrite(path: string, error: unknown): never {
  throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
}
