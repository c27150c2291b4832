// The rows of the inputs, one after the other, whatever the format.
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { isObject } from '../../inputs/json.ts';
import { reasonOf, Refusal } from '../run.ts';
import { cellsOf, recordsOf } from './csv.ts';
import type { Format, Input } from './inputs.ts';
import { elementsOf } from './jsonArray.ts';
import { linesOf } from './lines.ts';
import { unfaithfulNumber } from './numbers.ts';
import { withoutMark, type Chunks, type Piece } from './pieces.ts';

/** Where a row stands. */
export interface Place {
  readonly input: Input;
  readonly line: number;
}

/** A row's members; in CSV, all of them are texts. */
export interface ReadRow extends Place {
  readonly members: Readonly<Record<string, unknown>>;
}

/** Why there is no row, or it is no good. */
export interface Rejection extends Place {
  readonly reason: string;
  readonly errors?: readonly unknown[];
  readonly row?: unknown;
}

export type Row = ReadRow | Rejection;

const splitters: Record<Format, (chunks: Chunks) => AsyncGenerator<Piece>> = {
  json: elementsOf,
  ndjson: linesOf,
  csv: recordsOf,
};

/** As much of a row that can't be read as is repeated to people. */
const mostShown = 2_000;

/**
 * The rows of an input.
 * @param onBytes told how many bytes were read
 * @throws {Refusal} where the input can't be read, or has no header that could be used
 */
export async function* rowsOf(input: Input, onBytes: (count: number) => void = () => undefined): AsyncGenerator<Row> {
  const pieces = splitters[input.format](withoutMark(bytesOf(input, onBytes)));
  yield* input.format === 'csv' ? csvRows(input, pieces) : jsonRows(input, pieces);
}

async function* bytesOf(input: Input, onBytes: (count: number) => void): AsyncGenerator<Buffer> {
  const stream = input.path === '-' ? process.stdin : createReadStream(input.path, { highWaterMark: 256 * 1024 });
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      onBytes(chunk.length);
      yield chunk;
    }
  } catch (error) {
    throw new Refusal(`Can't read ${input.path}: ${reasonOf(error)}.`);
  }
}

async function* jsonRows(input: Input, pieces: AsyncIterable<Piece>): AsyncGenerator<Row> {
  for await (const piece of pieces) yield jsonRow(input, piece);
}

function jsonRow(input: Input, piece: Piece): Row {
  const { line } = piece;
  const text = textOf(piece);
  if (typeof text !== 'string') return rejected(input, piece, text.problem);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return rejected(input, piece, `is no JSON: ${error instanceof Error ? error.message : ''}`);
  }
  if (!isObject(value)) return { input, line, reason: 'is no object', row: value };
  const number = unfaithfulNumber(text);
  if (number !== null) {
    return {
      input,
      line,
      reason: `holds a number that can't be kept as it is: ${number}; put it in quotes`,
      row: text,
    };
  }
  return { input, line, members: value };
}

async function* csvRows(input: Input, pieces: AsyncIterable<Piece>): AsyncGenerator<Row> {
  let header: string[] | null = null;
  for await (const piece of pieces) {
    if (header === null) header = headerOf(input, piece);
    else yield csvRow(input, header, piece);
  }
}

function headerOf(input: Input, piece: Piece): string[] {
  const cells = tryCells(piece);
  const names = Array.isArray(cells) ? cells.map((name) => name.trim()) : [];
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  const wrong = !Array.isArray(cells)
    ? cells.problem
    : names.includes('')
      ? 'a column has no name'
      : twice !== undefined && `the column "${twice}" is there twice`;
  if (wrong) throw new Refusal(`The first line of ${input.path} must name the columns: ${wrong}.`);
  return names;
}

function csvRow(input: Input, header: readonly string[], piece: Piece): Row {
  const cells = tryCells(piece);
  if (!Array.isArray(cells)) return rejected(input, piece, cells.problem);
  if (cells.length !== header.length) {
    return rejected(input, piece, `has ${cells.length} cells under ${header.length} columns`);
  }
  const named = header.map((name, at) => [name, cells[at] ?? ''] as const);
  return { input, line: piece.line, members: Object.fromEntries(named.filter(([, cell]) => cell !== '')) };
}

function tryCells(piece: Piece): string[] | { problem: string } {
  const text = textOf(piece);
  if (typeof text !== 'string') return text;
  try {
    return cellsOf(text);
  } catch (error) {
    return { problem: `is no CSV: ${error instanceof Error ? error.message : ''}` };
  }
}

function textOf(piece: Piece): string | { problem: string } {
  if ('problem' in piece) return piece;
  return isUtf8(piece.bytes) ? piece.bytes.toString() : { problem: 'is no UTF-8' };
}

function rejected(input: Input, { line, bytes }: Piece & { readonly bytes?: Buffer }, reason: string): Rejection {
  const row = bytes?.toString().trim();
  return { input, line, reason, ...(row !== undefined && { row: row.slice(0, mostShown) }) };
}
