// Reads rows whose sizes are counted before much of their values is read: a request holds no more than its budget allows.
import { maxUsualRows, type Budget } from '../budget.ts';
import type { Channel, Prisma } from '../generated/prisma/client.ts';
import type { PositionValue } from './orderSql.ts';
import { EntryRow, type RowColumns } from './row.ts';

/** Make the statement that reads some rows. */
interface CountedStatements {
  /** It reads the values of each row that has at most so many bytes. */
  readonly selectEach: (maxBytes: number) => Prisma.Sql;
  /** It reads the values of all rows, if they have at most so many bytes together. */
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

/** Of more rows than this, few would be small enough to be read at once one by one. */
const maxCheckedRows = 50;

/**
 * Reads rows: small ones at once; else, when the request may hold so much, all of them.
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
    // What was read after it had been taken needs not be taken again.
    if (!isRead || statement === first) await takeRows(total);
    if (isRead) return rows;
    statement = selectAll(total);
  }
}
