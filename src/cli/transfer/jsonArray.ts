// The elements of a JSON array, found without reading the array as a whole: strings and brackets are followed, and what
// stands between two commas is left to JSON.parse.
import { Collector, isSpace, newline, quote, type Chunks, type Piece } from './pieces.ts';

const [backslash, comma, openList, closeList, openObject, closeObject] = [0x5c, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Where in the text of the array the next byte is. */
type Phase = 'before' | 'between' | 'inside' | 'after' | 'lost';

/** The elements of the array that a file holds. What is wrong with the array itself is a piece, too. */
export async function* elementsOf(chunks: Chunks): AsyncGenerator<Piece> {
  const scan = new Scan();
  for await (const chunk of chunks) {
    yield* scan.read(chunk);
    if (scan.isLost) return;
  }
  yield* scan.end();
}

class Scan {
  #phase: Phase = 'before';
  #line = 1;
  #beganOn = 1;
  #depth = 0;
  #inText = false;
  #escaped = false;
  /** Where in the chunk at hand the open element's part of it begins. */
  #from = 0;
  readonly #row = new Collector();

  get isLost(): boolean {
    return this.#phase === 'lost';
  }

  *read(chunk: Buffer): Generator<Piece> {
    this.#from = 0;
    for (let at = 0; at < chunk.length; at += 1) {
      const byte = chunk[at] ?? 0;
      if (this.#phase === 'inside') {
        if (this.#isEnd(byte)) {
          this.#row.add(chunk.subarray(this.#from, at));
          yield this.#row.take(this.#beganOn);
          this.#phase = byte === comma ? 'between' : 'after';
        }
      } else if (!isSpace(byte)) {
        const problem = this.#step(byte, at);
        if (problem !== null) yield { line: this.#line, problem };
        if (this.isLost) return;
      }
      if (byte === newline) this.#line += 1;
    }
    if (this.#phase === 'inside') this.#row.add(chunk.subarray(this.#from));
  }

  /** What an end of the file at this place means. */
  *end(): Generator<Piece> {
    if (this.#phase === 'before') yield { line: 1, problem: 'the file is empty: there is no JSON array' };
    if (this.#phase === 'between') {
      yield { line: this.#line, problem: 'the file ends before its array does: it may have been cut off' };
    }
    if (this.#phase === 'inside') {
      const { line, ...rest } = this.#row.take(this.#beganOn);
      yield { line, ...rest, problem: 'the file ends in the middle of this row: it may have been cut off' };
    }
  }

  /** A byte outside of elements. Returns what is wrong with it. */
  #step(byte: number, at: number): string | null {
    if (this.#phase === 'before') {
      this.#phase = byte === openList ? 'between' : 'lost';
      return byte === openList
        ? null
        : 'the file holds no JSON array; with an object on each line, it is --format ndjson';
    }
    if (this.#phase === 'after') {
      this.#phase = 'lost';
      return 'something stands behind the end of the array; what follows was not read';
    }
    if (byte === comma) return 'nothing stands before this comma';
    if (byte === closeList) {
      this.#phase = 'after';
      return null;
    }
    this.#phase = 'inside';
    this.#beganOn = this.#line;
    this.#from = at;
    this.#depth = 0;
    this.#isEnd(byte);
    return null;
  }

  /** Follows an element by a byte. Returns whether that ends it. */
  #isEnd(byte: number): boolean {
    if (this.#inText) {
      if (this.#escaped) this.#escaped = false;
      else if (byte === backslash) this.#escaped = true;
      else if (byte === quote) this.#inText = false;
      return false;
    }
    if (byte === quote) this.#inText = true;
    else if (byte === openList || byte === openObject) this.#depth += 1;
    else if (this.#depth === 0) return byte === comma || byte === closeList;
    else if (byte === closeList || byte === closeObject) this.#depth -= 1;
    return false;
  }
}
