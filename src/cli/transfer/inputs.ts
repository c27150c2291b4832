// The files to import: what they are, and how to tell whether they are still the same.
import { createHash } from 'node:crypto';
import { open, stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { reasonOf, Refusal } from '../run.ts';

export type Format = 'json' | 'ndjson' | 'csv';

/** A file to import; `-` stands for standard input, of which nothing is known before. */
export interface Input {
  readonly path: string;
  readonly format: Format;
  readonly size: number;
  /** Tells whether the file was changed. */
  readonly fingerprint: string;
}

const formats: Readonly<Record<string, Format>> = {
  '.json': 'json',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.csv': 'csv',
};
const headLength = 65_536;

/** What stands behind the paths. @throws {Refusal} where a file can't be read, or its format is not known */
export async function inputsOf(paths: readonly string[], format: Format | undefined): Promise<Input[]> {
  const twice = paths.find((path, at) => paths.indexOf(path) !== at);
  if (twice !== undefined) throw new Refusal(`${twice} is given twice.`);
  if (paths.includes('-') && paths.length > 1) throw new Refusal('Standard input (-) goes with no other file.');
  return Promise.all(paths.map((path) => inputOf(path, format)));
}

async function inputOf(path: string, given: Format | undefined): Promise<Input> {
  const format = given ?? formats[extname(path).toLowerCase()];
  if (format === undefined) throw new Refusal(`What is ${path}? Say --format json, ndjson or csv.`);
  if (path === '-') return { path, format, size: 0, fingerprint: '' };
  try {
    const { size, mtimeMs } = await stat(path);
    return { path: resolve(path), format, size, fingerprint: `${size} ${Math.trunc(mtimeMs)} ${await headHash(path)}` };
  } catch (error) {
    throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
  }
}

async function headHash(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headLength), 0, headLength, 0);
    return createHash('sha256').update(buffer.subarray(0, bytesRead)).digest('hex');
  } finally {
    await file.close();
  }
}
