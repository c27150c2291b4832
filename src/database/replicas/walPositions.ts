// Positions in PostgreSQL's write-ahead log, which measure the progress of a standby.

/** Size of a page's header; that of a segment's first page is longer. */
const pageHeader = 24n;
const segmentHeader = 40n;

/** Parses a position such as `16/B374D848`. @throws SyntaxError if it is malformed */
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
 * The end of the last record, from the position of the next one. The two differ only if the last record filled a page:
 * the next one begins behind the header of the next page. A standby that has the last record reports its end.
 */
export function lastRecordEnd(next: bigint, { segment, page }: LogSizes): bigint {
  if (next % BigInt(segment) === segmentHeader) return next - segmentHeader;
  return next % BigInt(page) === pageHeader ? next - pageHeader : next;
}
