// Reads rows whose sizes are counted before many of their values are read, so that a request holds no more than its budget allows.
import { maxUsualRows, type Budget } from '../../admission/budget.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import type { PositionValue } from './orderSql.ts';
import { EntryRow, type RowColumns } from '../row.ts';

/** Functions that make the statement for some rows. */
interface CountedStatements {
  /** The statement reads the values of each row that has at most so many bytes. */
  readonly selectEach: (maxBytes: number) => Prisma.Sql;
  /** The statement reads the values of all rows, if they have at most so many bytes together. */
  readonly selectAll: (maxBytes: number) => Prisma.Sql;
}

/** How rows are read. */
export interface CountedRead {
  readonly run: <Row>(statement: Prisma.Sql) => Promise<Row[]>;
  /** How many rows there are at most. */
  readonly limit: number;
  readonly takeRows: Budget['takeRows'];
  /** The channel that the rows belong to. */
  readonly channel: Channel;
}

/** A row, and its position if the statement selects that. */
interface CountedRow {
  readonly row: EntryRow;
  readonly position: PositionValue[] | undefined;
}

/** Beyond this many rows, the part of the limit that each row has would be too small for most of them. */
const maxCheckedRows = 50;

/**
 * Reads rows: small ones with the first statement; larger ones with a second, once the request may hold all of them.
 * @throws what `takeRows` throws
 */
export async function readCounted(
  { selectEach, selectAll }: CountedStatements,
  { run, limit, takeRows, channel }: CountedRead,
): Promise<CountedRow[]> {
  const first = limit <= maxCheckedRows ? selectEach(Math.floor(maxUsualRows / limit)) : selectAll(maxUsualRows);
  for (let statement = first; ;) {
    const found = await run<RowColumns & { position?: PositionValue[] }>(statement);
    const rows = found.map((columns) => ({ row: new EntryRow(columns, channel), position: columns.position }));
    const total = rows.reduce((sum, { row: { size } }) => sum + size, 0);
    const isRead = found.every(({ data }) => (data as string | null) !== null);
    // Rows that were taken before they were read are not taken again.
    if (!isRead || statement === first) await takeRows(total);
    if (isRead) return rows;
    statement = selectAll(total);
  }
}
