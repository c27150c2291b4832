// NDJSON: a row on each line.
import { Collector, isBlank, newline, type Chunks, type Piece } from './pieces.ts';

/** The lines that hold something. */
export async function* linesOf(chunks: Chunks): AsyncGenerator<Piece> {
  const row = new Collector();
  let line = 1;
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, from)) {
      row.add(chunk.subarray(from, end));
      const piece = row.take(line);
      if (!('bytes' in piece) || !isBlank(piece.bytes)) yield piece;
      line += 1;
      from = end + 1;
    }
    row.add(chunk.subarray(from));
  }
  const last = row.take(line);
  if (!('bytes' in last) || !isBlank(last.bytes)) yield last;
}
