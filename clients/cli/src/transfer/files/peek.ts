// Looks at the beginning of a stream of bytes without taking it away.

/** The beginning of a stream, and all of it. */
export interface Peeked {
  readonly head: Buffer;
  /** Whether the beginning is the whole. */
  readonly isWhole: boolean;
  readonly all: AsyncIterable<Buffer>;
}

/** Reads the first bytes of a stream. @param size how many, unless there are fewer; there may be some more */
export async function peek(chunks: AsyncIterable<Buffer>, size: number): Promise<Peeked> {
  const iterator = chunks[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let [length, isWhole] = [0, false];
  while (length < size && !isWhole) {
    const next = await iterator.next();
    if (next.done === true) isWhole = true;
    else {
      parts.push(next.value);
      length += next.value.length;
    }
  }
  const head = Buffer.concat(parts);
  const all = async function* (): AsyncGenerator<Buffer> {
    try {
      if (head.length > 0) yield head;
      yield* { [Symbol.asyncIterator]: () => iterator };
    } finally {
      await iterator.return?.();
    }
  };
  return { head, isWhole, all: all() };
}
