// The import itself: rows are sent in batches, several at a time, and the results are recorded in the order of the rows.
import type { Interruption } from '../terminal/interruption.ts';
import type { ApiClient } from '../service/apiClient.ts';
import type { ReadyRow } from './columns/prepareRows.ts';
import type { Progress } from '../terminal/progress.ts';
import type { RejectedRow } from './files/rows.ts';
import { writeRows, type RowOutcome, type UpsertTarget } from '../service/remoteEntries.ts';
import { saveState, type PassState, type StateFile } from './files/stateFile.ts';

export interface ImportJob {
  readonly client: ApiClient;
  readonly channel: string;
  /** Whether nothing is written to the service. */
  readonly dryRun: boolean;
  readonly maxInFlight: number;
  readonly file: StateFile;
  readonly progress: Progress;
  readonly interruption: Interruption;
}

/** One way through rows. */
export interface Pass<Row extends ReadyRow> {
  readonly rows: AsyncIterable<Row | RejectedRow>;
  /** How far it has come. */
  readonly state: PassState;
  /** How the idempotency keys of its batches begin. */
  readonly key: string;
  /** What rows are to become. */
  readonly findTargets: (rows: readonly Row[]) => Promise<readonly UpsertTarget[]> | readonly UpsertTarget[];
  /** Whether these are kept, since they would be others when the rows are sent again. */
  readonly keepsTargets: boolean;
  /** How many rows a request has at most. */
  readonly maxOperations: number;
  /** Records what became of rows, in their order. */
  readonly settle: (settled: readonly SettledRow<Row>[]) => Promise<void>;
}

/** A row with what became of it; one that was rejected before it was sent says so itself. */
export type SettledRow<Row> = readonly [Row, RowOutcome] | readonly [RejectedRow, null];

/** Consecutive rows: those to send, and those that were rejected without being sent. */
interface RowBatch<Row extends ReadyRow> {
  /** How many rows come before. */
  readonly from: number;
  readonly rows: (Row | RejectedRow)[];
}

/** A batch that was sent, and what becomes of the rows that were sent. */
interface BatchInFlight<Row extends ReadyRow> {
  readonly batch: RowBatch<Row>;
  readonly outcomes: Promise<RowOutcome[]>;
  readonly bytesRead: number;
}

/**
 * How many rows, operations, bytes and values a batch may have; each pass has its own number of operations. A request may have more (docs/contract.md §5), since it
 * holds more than its rows.
 */
const maxBatch = [2_000, Infinity, 900_000, 40_000];

/**
 * Sends what is left of the rows.
 * @returns false where it was interrupted
 * @throws {Refusal} where it can't continue; the state tells which rows are done
 */
export async function importRows<Row extends ReadyRow>(job: ImportJob, pass: Pass<Row>): Promise<boolean> {
  const { interruption, progress } = job;
  const inFlight: BatchInFlight<Row>[] = [];
  progress.rows = progress.earlierRows = pass.state.rows;
  try {
    for await (const batch of batchRows(pass.rows, pass.state.rows, pass.maxOperations)) {
      if (interruption.stopping.aborted) break;
      while (inFlight.length >= job.maxInFlight) await settleFirst(job, pass, inFlight);
      inFlight.push(await beginBatch(job, pass, batch));
    }
    while (inFlight.length > 0) await settleFirst(job, pass, inFlight);
  } catch (error) {
    if (interruption.ending.aborted) return false;
    interruption.end();
    throw error;
  }
  return !interruption.stopping.aborted;
}

/**
 * Rows in batches, each as full as it can be. The same rows from the same beginning make the same batches, so that a batch
 * can be sent again after a crash: a change of the limits needs a new version of the state file.
 * @param skip how many rows to leave out
 * @param maxOperations how many rows are sent at most
 */
export async function* batchRows<Row extends ReadyRow>(
  rows: AsyncIterable<Row | RejectedRow>,
  skip: number,
  maxOperations: number,
): AsyncGenerator<RowBatch<Row>> {
  const limits = maxBatch.with(1, maxOperations);
  let batch: RowBatch<Row> = { from: skip, rows: [] };
  let size = [0, 0, 0, 0];
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count <= skip) continue;
    const added = 'reason' in row ? [1, 0, 0, 0] : [1, 1, Buffer.byteLength(row.json) + 100, countValues(row.members)];
    let grown = size.map((amount, index) => amount + (added[index] ?? 0));
    if (batch.rows.length > 0 && grown.some((amount, index) => amount > (limits[index] ?? 0))) {
      yield batch;
      batch = { from: count - 1, rows: [] };
      grown = added;
    }
    batch.rows.push(row);
    size = grown;
  }
  if (batch.rows.length > 0) yield batch;
}

/** How many members and items a value holds at all levels, and some more for what the request adds. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, each) => sum + countValues(each), 4);
}

/** Sends a batch, once the state file says that it may have been sent. */
async function beginBatch<Row extends ReadyRow>(
  { file, client, channel, dryRun, progress }: ImportJob,
  { state, key, findTargets, keepsTargets }: Pass<Row>,
  batch: RowBatch<Row>,
): Promise<BatchInFlight<Row>> {
  const rows = batch.rows.filter((row): row is Row => !('reason' in row));
  const pending = state.pending.find(({ from }) => from === batch.from);
  const targets = pending?.targets ?? (await findTargets(rows));
  if (!pending) {
    state.pending.push({
      from: batch.from,
      targets: keepsTargets ? targets : null,
      sentAt: new Date().toISOString(),
    });
    await saveState(file);
  }
  const outcomes = writeRows(client, channel, `${key}-${batch.from}`, rows, targets, dryRun);
  // It is awaited later. A failure before that must not count as an unhandled rejection.
  outcomes.catch(() => undefined);
  return { batch, outcomes, bytesRead: progress.bytesRead };
}

/** Waits for the first batch in flight, and records what became of its rows. */
async function settleFirst<Row extends ReadyRow>(
  { progress }: ImportJob,
  { state, settle }: Pass<Row>,
  inFlight: BatchInFlight<Row>[],
): Promise<void> {
  const [first] = inFlight;
  if (!first) return;
  const outcomes = (await first.outcomes).values();
  inFlight.shift();
  const { from, rows } = first.batch;
  await settle(
    rows.map((row): SettledRow<Row> => {
      if ('reason' in row) return [row, null];
      return [row, outcomes.next().value ?? { reason: 'has no result' }];
    }),
  );
  state.rows = from + rows.length;
  state.pending = state.pending.filter((batch) => batch.from >= state.rows);
  progress.rows += rows.length;
  progress.bytesDone = first.bytesRead;
}
