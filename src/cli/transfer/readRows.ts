// Reads the rows of the files to import, whatever their format.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { isObject } from '../../inputs/json.ts';
import { reasonOf, Refusal, UsageError } from '../run.ts';
import { readCsv } from './csv.ts';
import { tryParseJson } from './values.ts';

export type FileFormat = 'json' | 'ndjson' | 'csv';

export const fileFormats: readonly FileFormat[] = ['json', 'ndjson', 'csv'];

/** A file to import; `-` is standard input, whose size is not known. */
export interface InputFile {
  readonly path: string;
  readonly format: FileFormat;
  readonly size: number;
  /** When the file was changed, in milliseconds since 1970. */
  readonly changedAt: number;
}

/** The format that a file's extension stands for. */
export function guessFormat(path: string): FileFormat | undefined {
  const extension = extname(path).slice(1).toLowerCase();
  return extension === 'jsonl' ? 'ndjson' : fileFormats.find((format) => format === extension);
}

/** The files at some paths. @throws {Refusal} where one can't be read, is given twice, or has an unknown format */
export async function inspectFiles(paths: readonly string[], given: FileFormat | undefined): Promise<InputFile[]> {
  const duplicate = paths.find((path, index) => paths.indexOf(path) !== index);
  if (duplicate !== undefined) throw new UsageError(`${duplicate} is given twice.`);
  if (paths.includes('-') && paths.length > 1)
    throw new UsageError('Standard input (-) can be given only by itself, without other files.');
  return Promise.all(
    paths.map(async (path) => {
      const format = given ?? guessFormat(path);
      if (!format)
        throw new UsageError(`The extension of ${path} does not tell its format: give --format json, ndjson or csv.`);
      if (path === '-') return { path, format, size: 0, changedAt: 0 };
      const { size, mtimeMs } = await stat(path).catch((error: unknown) => {
        throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
      });
      return { path: resolve(path), format, size, changedAt: mtimeMs };
    }),
  );
}

/** Where a row stands: its line, counted from 1, or its index in a JSON array. */
interface RowPlace {
  readonly input: InputFile;
  readonly place: number;
}

/** A row's members; those of CSV are all texts. */
export interface SourceRow extends RowPlace {
  readonly members: Readonly<Record<string, unknown>>;
  /** The members as they stand in the file, if these are others by now: for the files of rejected rows. */
  readonly given?: Readonly<Record<string, unknown>>;
  /** The id that the new entry keeps; absent: it gets a new one. */
  readonly keptId?: string;
}

/** A row that is not stored, and why. */
export interface RejectedRow extends RowPlace {
  readonly reason: string;
  readonly errors?: readonly unknown[];
  /** The row, or the beginning of its text. */
  readonly row?: unknown;
}

type Chunks = AsyncIterable<Buffer>;
type Rows = AsyncGenerator<SourceRow | RejectedRow>;

/** The most bytes of a row: it is sent in one request, of which the service takes 1 MiB. */
export const maxRowBytes = 1_048_576;
const maxArrayBytes = 64 * 1024 * 1024;
export const tooLarge = 'is larger than 1 MiB, the limit of a request';

/**
 * The rows of a file.
 * @param onBytes is called with the number of bytes that were read
 * @throws {Refusal} where the file can't be read, has no usable header, or is not a JSON array of at most 64 MB
 */
export function readRows(input: InputFile, onBytes: (count: number) => void = () => undefined): Rows {
  if (input.format === 'json') return readArray(input, onBytes);
  return (input.format === 'csv' ? readCsvRows : readLines)(input, readChunks(input, onBytes));
}

/** A file's bytes, without a byte order mark. */
async function* readChunks({ path }: InputFile, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
  let isFirst = true;
  try {
    for await (const chunk of stream as Chunks) {
      onBytes(chunk.length);
      yield isFirst && chunk.subarray(0, 3).equals(Buffer.from('\ufeff')) ? chunk.subarray(3) : chunk;
      isFirst = false;
    }
  } catch (error) {
    throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
  }
}

async function* readArray(input: InputFile, onBytes: (count: number) => void): Rows {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of readChunks(input, (count) => (size += count))) {
    if (size > maxArrayBytes) {
      throw new Refusal(
        `${input.path} is larger than 64 MB, the limit for a JSON array: give NDJSON, an object on each line.`,
      );
    }
    chunks.push(chunk);
  }
  const { value, problem } = parseBytes(Buffer.concat(chunks));
  if (problem !== undefined || !Array.isArray(value)) {
    throw new Refusal(
      `${input.path} ${problem ?? 'is not a JSON array'}. If each line is an object, give --format ndjson.`,
    );
  }
  for (const [place, element] of value.entries()) {
    yield toRow({ input, place }, element);
    onBytes(size / value.length);
  }
}

/**
 * Reads NDJSON. node:readline is not suitable: it replaces bytes that are not UTF-8, does not bound the length of a line, and
 * from Node.js 24 on ends lines at U+2028 and U+2029, which JSON allows inside texts.
 */
async function* readLines(input: InputFile, chunks: Chunks): Rows {
  let place = 1;
  let parts: Buffer[] = [];
  let size = 0;
  const add = (part: Buffer): void => {
    size += part.length;
    parts = size > maxRowBytes ? [] : [...parts, part];
  };
  const take = function* (): Generator<SourceRow | RejectedRow> {
    const bytes = Buffer.concat(parts);
    if (size > maxRowBytes) yield { input, place, reason: tooLarge };
    else if (/[^ \t\r]/.test(bytes.toString('latin1'))) {
      const { value, problem } = parseBytes(bytes);
      yield problem === undefined ? toRow({ input, place }, value) : rejectText({ input, place }, problem, bytes);
    }
    [place, parts, size] = [place + 1, [], 0];
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', from)) {
      add(chunk.subarray(from, end));
      yield* take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  yield* take();
}

function parseBytes(bytes: Buffer): ReturnType<typeof tryParseJson> {
  return isUtf8(bytes) ? tryParseJson(bytes.toString()) : { value: undefined, problem: 'is not UTF-8' };
}

function toRow(place: RowPlace, value: unknown): SourceRow | RejectedRow {
  return isObject(value) ? { ...place, members: value } : { ...place, reason: 'is not an object', row: value };
}

function rejectText(place: RowPlace, reason: string, text: Buffer): RejectedRow {
  return { ...place, reason, row: text.toString().trim().slice(0, 2_000) };
}

async function* readCsvRows(input: InputFile, chunks: Chunks): Rows {
  let header: readonly string[] | null = null;
  for await (const { line, cells, text, problem: broken } of readCsv(input.path, chunks)) {
    const texts = cells.map((cell) => cell.toString());
    const problem = broken ?? (cells.every((cell) => isUtf8(cell)) ? undefined : 'is not UTF-8');
    if (header === null)
      header = checkHeader(
        input.path,
        texts.map((name) => name.trim()),
        problem,
      );
    else if (problem !== undefined) yield rejectText({ input, place: line }, problem, text);
    else if (texts.length !== header.length) {
      yield rejectText({ input, place: line }, `has ${texts.length} cells under ${header.length} columns`, text);
    } else {
      const members = header
        .map((name, index) => [name, texts[index] ?? ''] as const)
        .filter(([, cell]) => cell !== '');
      yield { input, place: line, members: Object.fromEntries(members) };
    }
  }
}

/** The names of columns. @throws {Refusal} where they can't be names of members */
function checkHeader(path: string, names: readonly string[], broken: string | undefined): readonly string[] {
  const duplicate = names.find((name, index) => names.indexOf(name) !== index);
  const twice = duplicate === undefined ? undefined : `has the column "${duplicate}" twice`;
  const problem = broken ?? (names.includes('') ? 'has a column without a name' : twice);
  if (problem === undefined) return names;
  throw new Refusal(`The first line of ${path} must name the columns, and ${problem}.`);
}
