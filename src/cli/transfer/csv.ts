// CSV (RFC 4180): the records are found here, so that a broken one does not take those behind it along, and each is read
// by csv-parse.
import { parse } from 'csv-parse/sync';
import { Collector, mostBytes, newline, quote, type Chunks, type Piece } from './pieces.ts';

const [comma, carriageReturn] = [0x2c, 0x0d];

/** The records of a file, the header among them; empty lines are none. */
export async function* recordsOf(chunks: Chunks): AsyncGenerator<Piece> {
  const scan = new Scan();
  for await (const chunk of chunks) yield* scan.read(chunk);
  yield* scan.end();
}

/** The cells of a record. @throws Error where its quotes are broken */
export function cellsOf(record: string): string[] {
  const [cells = []] = parse(record, { relax_column_count: true, max_record_size: 0 });
  return cells;
}

class Scan {
  #line = 1;
  #beganOn = 1;
  #inQuotes = false;
  /** In quotes: the last byte was a quote, which ends them or, before another one, stands for itself. */
  #sawQuote = false;
  #atCellStart = true;
  /** Room for one that is too long, too, so that it can be read anew. */
  readonly #row = new Collector(2 * mostBytes);

  *read(chunk: Buffer): Generator<Piece> {
    let from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      this.#follow(byte);
      if (byte !== newline) continue;
      this.#line += 1;
      if (this.#inQuotes && this.#row.length + at - from < mostBytes) continue;
      this.#row.add(chunk.subarray(from, at + 1));
      from = at + 1;
      yield* this.#record();
    }
    this.#row.add(chunk.subarray(from));
  }

  *end(): Generator<Piece> {
    while (this.#row.length > 0) yield* this.#record();
  }

  #follow(byte: number): void {
    if (this.#inQuotes) {
      if (byte === quote) this.#sawQuote = !this.#sawQuote;
      else if (this.#sawQuote) this.#inQuotes = false;
      if (this.#inQuotes) return;
    } else if (byte === quote && this.#atCellStart) {
      this.#inQuotes = true;
      this.#sawQuote = false;
    }
    this.#atCellStart = byte === comma || byte === newline;
  }

  /** The record that ends here. One whose quotes never end is its first line alone: what follows is read anew. */
  *#record(): Generator<Piece> {
    const isOpen = this.#inQuotes && !this.#sawQuote;
    const piece = this.#row.take(this.#beganOn);
    this.#inQuotes = false;
    this.#atCellStart = true;
    this.#beganOn = this.#line;
    if ('problem' in piece || !isOpen) {
      if ('problem' in piece || !isEmptyLine(piece.bytes)) yield piece;
      return;
    }
    const end = piece.bytes.indexOf(newline) + 1 || piece.bytes.length;
    const problem = 'a quote is opened that is never closed';
    yield { line: piece.line, problem, bytes: piece.bytes.subarray(0, end) };
    this.#line = piece.line + 1;
    this.#beganOn = this.#line;
    yield* this.read(piece.bytes.subarray(end));
  }
}

function isEmptyLine(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === newline || byte === carriageReturn);
}
