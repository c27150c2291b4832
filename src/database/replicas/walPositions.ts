// Positions in PostgreSQL's write-ahead log, by which is known what a standby has.

/** How a page of the log begins: the first one of a segment has a longer header. */
const pageHeader = 24n;
const segmentHeader = 40n;

/** Reads a position, as `16/B374D848`. @throws SyntaxError if it is none */
export function parsePosition(text: string): bigint {
  const [high, low] = text.split('/');
  return (BigInt(`0x${high ?? ''}`) << 32n) + BigInt(`0x${low ?? ''}`);
}

/** The sizes of the log's files and of their pages, in bytes. */
interface LogSizes {
  readonly segment: number;
  readonly page: number;
}

/**
 * Where the last record ended, by the place where the next one will begin. The two differ only where the last record filled
 * a page: the next one begins behind the header of the next page. A standby that has the last record reports its end.
 */
export function lastRecordEnd(next: bigint, { segment, page }: LogSizes): bigint {
  if (next % BigInt(segment) === segmentHeader) return next - segmentHeader;
  return next % BigInt(page) === pageHeader ? next - pageHeader : next;
}
