// The import itself: rows are sent in batches, several at a time, and the results are recorded in the order of the rows.
import type { Interruption } from '../signals.ts';
import type { ApiClient } from './apiClient.ts';
import type { ReadyRow, RowPreparer } from './prepareRows.ts';
import type { Progress } from './progress.ts';
import type { RejectedRow, SourceRow } from './readRows.ts';
import { appendRejects } from './rejectFiles.ts';
import { findUpsertTargets, writeRows, type RowOutcome } from './remoteEntries.ts';
import { saveState, type StateFile } from './stateFile.ts';

export interface ImportJob {
  readonly client: ApiClient;
  readonly channel: string;
  readonly upsert: string | undefined;
  /** Whether nothing is written to the service. */
  readonly dryRun: boolean;
  /** Whether the channel did not exist before, so that it has no entries to look up. */
  readonly isNewChannel: boolean;
  readonly maxInFlight: number;
  readonly rows: AsyncIterable<SourceRow | RejectedRow>;
  readonly preparer: RowPreparer;
  readonly file: StateFile;
  /** The end of the names of the files that get rejected rows. */
  readonly rejectSuffix: string;
  readonly progress: Progress;
  readonly interruption: Interruption;
}

/** Consecutive rows: those to send, and those that were rejected without being sent. */
export interface RowBatch {
  /** How many rows come before. */
  readonly from: number;
  readonly rows: (ReadyRow | RejectedRow)[];
}

/** A batch that was sent, and what becomes of the rows that were sent. */
interface BatchInFlight {
  readonly batch: RowBatch;
  readonly outcomes: Promise<RowOutcome[]>;
  readonly bytesRead: number;
}

/**
 * How many rows, operations, bytes and values a batch may have. A request may have more (docs/contract.md §5), since it
 * holds more than its rows.
 */
const maxBatch = [2_000, 500, 900_000, 40_000];

/**
 * Imports what is left to import.
 * @returns false where it was interrupted
 * @throws {Refusal} where it can't continue; the state tells which rows are done
 */
export async function importRows(job: ImportJob): Promise<boolean> {
  const { file, interruption, progress } = job;
  const inFlight: BatchInFlight[] = [];
  progress.rows = progress.earlierRows = file.state.rows;
  try {
    for await (const batch of batchRows(prepareAll(job), file.state.rows)) {
      if (interruption.stopping.aborted) break;
      while (inFlight.length >= job.maxInFlight) await settleFirst(job, inFlight);
      inFlight.push(await beginBatch(job, batch));
    }
    while (inFlight.length > 0) await settleFirst(job, inFlight);
  } catch (error) {
    if (interruption.ending.aborted) return false;
    interruption.end();
    throw error;
  }
  return !interruption.stopping.aborted;
}

async function* prepareAll({ rows, preparer }: ImportJob): AsyncGenerator<ReadyRow | RejectedRow> {
  for await (const row of rows) yield 'reason' in row ? row : preparer.prepare(row);
}

/**
 * Rows in batches, each as full as it can be. The same rows from the same beginning make the same batches, so that a batch
 * can be sent again after a crash: a change of the limits needs a new version of the state file.
 * @param skip how many rows to leave out
 */
export async function* batchRows(rows: AsyncIterable<ReadyRow | RejectedRow>, skip: number): AsyncGenerator<RowBatch> {
  let batch: RowBatch = { from: skip, rows: [] };
  let size = [0, 0, 0, 0];
  let count = 0;
  for await (const row of rows) {
    count += 1;
    if (count <= skip) continue;
    const added = 'reason' in row ? [1, 0, 0, 0] : [1, 1, Buffer.byteLength(row.json) + 100, countValues(row.members)];
    let grown = size.map((amount, index) => amount + (added[index] ?? 0));
    if (batch.rows.length > 0 && grown.some((amount, index) => amount > (maxBatch[index] ?? 0))) {
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
async function beginBatch(job: ImportJob, batch: RowBatch): Promise<BatchInFlight> {
  const { file, client, channel, upsert, isNewChannel, dryRun, progress } = job;
  const rows = batch.rows.filter((row): row is ReadyRow => !('reason' in row));
  const pending = file.state.pending.find(({ from }) => from === batch.from);
  let targets = pending?.targets ?? rows.map(() => null);
  if (!pending) {
    if (upsert !== undefined && !isNewChannel) targets = await findUpsertTargets(client, channel, upsert, rows);
    const known = upsert === undefined ? null : targets;
    file.state.pending.push({ from: batch.from, targets: known, sentAt: new Date().toISOString() });
    await saveState(file);
  }
  const key = `${file.state.run}-${batch.from}`;
  const outcomes = writeRows(client, channel, key, rows, targets, dryRun);
  // It is awaited later. A failure before that must not count as an unhandled rejection.
  outcomes.catch(() => undefined);
  return { batch, outcomes, bytesRead: progress.bytesRead };
}

/** Waits for the first batch in flight, and records what became of its rows. */
async function settleFirst(job: ImportJob, inFlight: BatchInFlight[]): Promise<void> {
  const [first] = inFlight;
  if (!first) return;
  const outcomes = (await first.outcomes).values();
  inFlight.shift();
  const {
    file: { state },
    rejectSuffix,
    progress,
  } = job;
  const rejected: RejectedRow[] = [];
  for (const row of first.batch.rows) {
    const outcome = 'reason' in row ? row : (outcomes.next().value ?? { reason: 'has no result' });
    if (typeof outcome === 'string') state.counts[outcome] += 1;
    else
      rejected.push(
        'reason' in row ? row : { input: row.input, place: row.place, row: row.given ?? row.members, ...outcome },
      );
  }
  state.counts.failed += rejected.length;
  await appendRejects(rejected, rejectSuffix, state.rejected);
  state.rows = first.batch.from + first.batch.rows.length;
  state.pending = state.pending.filter(({ from }) => from >= state.rows);
  progress.rows += first.batch.rows.length;
  progress.bytesDone = first.bytesRead;
}
