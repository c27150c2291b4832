// The pieces of an input: the bytes of one row each, with the line that it begins on. No more than one is held at a time,
// however large the file.

/** The bytes of a row, or why there are none. */
export type Piece =
  | { readonly line: number; readonly bytes: Buffer }
  | { readonly line: number; readonly problem: string; readonly bytes?: Buffer };

/** Bytes as they come from a file. */
export type Chunks = AsyncIterable<Buffer>;

/** The most bytes of a row: a request holds 1 MiB, and a row travels in one. */
export const mostBytes = 1_048_576;

export const newline = 0x0a;
export const quote = 0x22;

/** Puts a row together from the chunks that it spans, and lets go of one that is too long. */
export class Collector {
  readonly #most: number;
  #parts: Buffer[] = [];
  #length = 0;

  constructor(most = mostBytes) {
    this.#most = most;
  }

  get length(): number {
    return this.#length;
  }

  add(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= this.#most) this.#parts.push(part);
    else this.#parts = [];
  }

  /** What was added since the last time. */
  take(line: number): Piece {
    const length = this.#length;
    const bytes = this.#parts.length === 1 ? this.#parts[0] : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    if (length > this.#most || bytes === undefined)
      return { line, problem: 'is longer than 1 MiB, the most of a request' };
    return { line, bytes };
  }
}

/** The chunks without a byte order mark at their beginning. */
export async function* withoutMark(chunks: Chunks): AsyncGenerator<Buffer> {
  let head: Buffer | null = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (head === null) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < 3) continue;
    yield isMark(head) ? head.subarray(3) : head;
    head = null;
  }
  if (head !== null && head.length > 0) yield head;
}

function isMark(bytes: Buffer): boolean {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
}

/** Whether there is nothing but white space. */
export function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => isSpace(byte));
}

export function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === newline || byte === 0x0d || byte === 0x09;
}
