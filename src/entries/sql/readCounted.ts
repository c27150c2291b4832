// Reads rows after their sizes are known, so that a request holds no more than its budget allows.
import { maxUsualRows, type Budget } from '../../admission/budget.ts';
import { isPromise } from '../../base/promiseOrValue.ts';
import type { Channel, Prisma } from '../../generated/prisma/client.ts';
import type { PositionedRow, PositionValue } from './orderSql.ts';
import { EntryRow, type RowColumns } from '../row.ts';

/** Make the statement for some rows. */
interface CountedStatements {
  /** Reads the values of each row within a number of bytes. */
  readonly selectEach: (maxBytes: number) => Prisma.Sql;
  /** Reads the values of all rows, if they are within a number of bytes together. */
  readonly selectAll: (maxBytes: number) => Prisma.Sql;
}

/** The parameters of a read. */
export interface CountedRead {
  readonly run: <Row>(statement: Prisma.Sql) => Promise<Row[]>;
  /** Maximum number of rows. */
  readonly limit: number;
  readonly takeRows: Budget['takeRows'];
  /** The channel of the rows. */
  readonly channel: Channel;
}

/** Maximum number of rows among which the limit is divided: for more, each would have too little for most rows. */
const maxCheckedRows = 50;

/**
 * Reads rows: small ones with the first statement; larger ones with a second, once the budget has room for all of them.
 * @throws as `takeRows`
 */
export async function readCounted(
  { selectEach, selectAll }: CountedStatements,
  { run, limit, takeRows, channel }: CountedRead,
): Promise<PositionedRow[]> {
  const first = limit <= maxCheckedRows ? selectEach(Math.floor(maxUsualRows / limit)) : selectAll(maxUsualRows);
  for (let statement = first; ;) {
    const columnsOfRows = await run<RowColumns & { position?: PositionValue[] }>(statement);
    const rows = columnsOfRows.map((columns) => ({ row: new EntryRow(columns, channel), position: columns.position }));
    const total = rows.reduce((sum, { row: { size } }) => sum + size, 0);
    const isRead = columnsOfRows.every(({ data }) => (data as string | null) !== null);
    // The budget of rows that were counted before is not taken again.
    const waiting = !isRead || statement === first ? takeRows(total) : undefined;
    if (isPromise(waiting)) await waiting;
    if (isRead) return rows;
    statement = selectAll(total);
  }
}
