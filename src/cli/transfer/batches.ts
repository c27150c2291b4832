// Rows put together into requests: as many as one may hold.
import type { Ready } from './prepare.ts';
import type { Rejection } from './rows.ts';

/** Rows that follow each other: those to send, and those that are rejected already. */
export interface Batch {
  /** How many rows came before. */
  readonly from: number;
  readonly rows: readonly (Ready | Rejection)[];
}

/** What a request holds at most, with room for what stands around the rows (docs/contract.md §5; 1 MiB, 50,000 values). */
const most = { operations: 500, bytes: 900_000, values: 40_000, rows: 2_000 };
const aroundRow = 100;

/**
 * Rows in batches.
 * @param ends after how many rows in all a batch ends whatever it holds, for those that were begun before
 */
export async function* batchesOf(
  rows: AsyncIterable<Ready | Rejection>,
  skip: number,
  ends: readonly number[],
): AsyncGenerator<Batch> {
  let batch = new Filling(skip);
  let count = 0;
  const planned = new Set(ends);
  const lastPlanned = Math.max(0, ...ends);
  for await (const row of rows) {
    count += 1;
    if (count <= skip) continue;
    if (count > lastPlanned && !batch.hasRoomFor(row)) {
      yield batch;
      batch = new Filling(count - 1);
    }
    batch.add(row);
    if (planned.has(count)) {
      yield batch;
      batch = new Filling(count);
    }
  }
  if (batch.rows.length > 0) yield batch;
}

class Filling implements Batch {
  readonly from: number;
  readonly rows: (Ready | Rejection)[] = [];
  #operations = 0;
  #bytes = 0;
  #values = 0;

  constructor(from: number) {
    this.from = from;
  }

  hasRoomFor(row: Ready | Rejection): boolean {
    if (this.rows.length >= most.rows) return false;
    if ('reason' in row || this.#operations === 0) return true;
    return (
      this.#operations < most.operations &&
      this.#bytes + bytesOf(row) <= most.bytes &&
      this.#values + valuesIn(row.members) <= most.values
    );
  }

  add(row: Ready | Rejection): void {
    this.rows.push(row);
    if ('reason' in row) return;
    this.#operations += 1;
    this.#bytes += bytesOf(row);
    this.#values += valuesIn(row.members);
  }
}

function bytesOf({ json }: Ready): number {
  return Buffer.byteLength(json) + aroundRow;
}

/** How many members and items a value holds, at all levels, and one for what stands around it. */
function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + valuesIn(each), 4);
}
