// Reads the rows of the files to import, whatever their format.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { isObject } from '../../../../../src/inputs/json.ts';
import { reasonOf, Refusal } from '../../terminal/refusal.ts';
import { readCsvRows } from './csvRows.ts';
import { decode, notUtf8 } from './encoding.ts';
import type { InputFile } from './inputFiles.ts';
import { peek } from './peek.ts';
import {
  rejectText,
  type Chunks,
  type ReadingWatch,
  type RejectedRow,
  type RowPlace,
  type Rows,
  type SourceRow,
} from './rows.ts';
import { repeatedMembers, repeatedProblem } from './repeatedMembers.ts';
import { parseJsonText, tryParseJson } from '../columns/values.ts';

/** The most bytes of a row: it is sent in one request, of which the service takes 1 MiB. */
export const maxRowBytes = 1_048_576;
const maxArrayBytes = 64 * 1024 * 1024;
/** Where an end of a line is looked for. */
const headBytes = 65_536;
export const tooLarge = 'is larger than 1 MiB, the limit of a request';

/**
 * The rows of a file.
 * @throws {Refusal} where the file can't be read, has no usable header, or is not a JSON array of at most 64 MB
 */
export function readRows(input: InputFile, watch: ReadingWatch = {}): Rows {
  if (input.format === 'json') return readArray(input, watch);
  const chunks = decode(input, readChunks(input, watch));
  return input.format === 'csv' ? readCsvRows(input, chunks, watch) : readLines(input, chunks);
}

/** The rows of files, one after the other. @throws {Refusal} as `readRows` does */
export async function* readAllRows(inputs: readonly InputFile[], watch?: ReadingWatch): Rows {
  for (const input of inputs) yield* readRows(input, watch);
}

/** A file's bytes. */
async function* readChunks({ path }: InputFile, { bytes }: ReadingWatch): AsyncGenerator<Buffer> {
  const stream = path === '-' ? process.stdin : createReadStream(path, { highWaterMark: 256 * 1024 });
  try {
    for await (const chunk of stream as Chunks) {
      bytes?.(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
  }
}

async function* readArray(input: InputFile, watch: ReadingWatch): Rows {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of decode(input, readChunks(input, { bytes: (count) => (size += count) }))) {
    if (size > maxArrayBytes) {
      throw new Refusal(
        `${input.path} is larger than 64 MB, the limit for a JSON array: give NDJSON, an object on each line.`,
      );
    }
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  const text = bytes.toString();
  const { value, problem } = isUtf8(bytes) ? parseJsonText(text) : { value: undefined, problem: notUtf8 };
  if (problem !== undefined || !Array.isArray(value)) {
    throw new Refusal(
      `${input.path} ${problem ?? 'is not a JSON array'}. If each line is an object, give --format ndjson.`,
    );
  }
  const repeated = new Map([...repeatedMembers(text)].map(({ name, element }) => [element, name]));
  for (const [place, element] of value.entries()) {
    const name = repeated.get(place);
    yield name === undefined
      ? toRow({ input, place }, element)
      : { input, place, reason: repeatedProblem(name), row: element };
    watch.bytes?.(size / value.length);
  }
}

/**
 * Reads NDJSON, whose lines may end with carriage returns alone. node:readline is not suitable: it replaces bytes that are not UTF-8, does not bound the length of a line, and
 * from Node.js 24 on ends lines at U+2028 and U+2029, which JSON allows inside texts.
 */
async function* readLines(input: InputFile, bytes: Chunks): Rows {
  const { head, all: chunks } = await peek(bytes, headBytes);
  // Spaces of JSON may be carriage returns, so that these end lines only where nothing else does.
  const newline = head.includes('\n') || !head.includes('\r') ? '\n' : '\r';
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
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      add(chunk.subarray(from, end));
      yield* take();
      from = end + 1;
    }
    add(chunk.subarray(from));
  }
  yield* take();
}

function parseBytes(bytes: Buffer): ReturnType<typeof tryParseJson> {
  return isUtf8(bytes) ? tryParseJson(bytes.toString()) : { value: undefined, problem: notUtf8 };
}

function toRow(place: RowPlace, value: unknown): SourceRow | RejectedRow {
  return isObject(value) ? { ...place, members: value } : { ...place, reason: 'is not an object', row: value };
}
