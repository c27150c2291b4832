// Remembers that files were imported, in a small file beside the state of the import, so that a second import of the same
// files can be told apart from the first. It decides nothing.
import { readFile, writeFile } from 'node:fs/promises';
import { formatCount } from '../../terminal/progress.ts';
import type { InputFile } from './inputFiles.ts';
import type { StateFile } from './stateFile.ts';

interface Finished {
  readonly at: string;
  readonly inputs: readonly InputFile[];
  /** How many rows are stored. */
  readonly stored: number;
}

/**
 * Writes that an import is finished, if it stored rows. Only a hint depends on the note, so that an import does not fail if it
 * cannot be written.
 */
export async function noteFinished({ path, state }: StateFile, inputs: readonly InputFile[]): Promise<void> {
  const { created, updated, unchanged } = state.counts;
  const stored = created + updated + unchanged;
  if (path === null || stored === 0) return;
  const note: Finished = { at: new Date().toISOString(), inputs, stored };
  await writeFile(noteAt(path), `${JSON.stringify(note)}\n`).catch(() => undefined);
}

/** A line that says that the same files, unchanged, were imported before; null where that is not known. */
export async function hintOfFinished(
  { path }: StateFile,
  inputs: readonly InputFile[],
  channel: string,
): Promise<string | null> {
  const note = path === null ? null : await readNote(path);
  if (note === null || JSON.stringify(note.inputs) !== JSON.stringify(inputs)) return null;
  const what = inputs.length === 1 ? 'This file was' : 'These files were';
  const rows = note.stored === 1 ? '1 row' : `${formatCount(note.stored)} rows`;
  return `${what} imported into ${channel} at ${note.at} (${rows}). Use --upsert <field> to update these entries, and add no others.`;
}

async function readNote(path: string): Promise<Finished | null> {
  try {
    return JSON.parse(await readFile(noteAt(path), 'utf8')) as Finished;
  } catch {
    return null;
  }
}

function noteAt(path: string): string {
  return `${path}ed`;
}
