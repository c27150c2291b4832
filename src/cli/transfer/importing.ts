// The import itself: rows in batches, some in flight at a time, and what became of them written down in their order.
import { batchesOf, type Batch } from './batches.ts';
import type { Interruption } from './interruption.ts';
import { targetsOf, type Target } from './lookup.ts';
import type { Preparer, Ready } from './prepare.ts';
import type { Progress } from './progress.ts';
import type { Rejects } from './rejects.ts';
import type { Rejection, Row } from './rows.ts';
import { send, type Outcome } from './sending.ts';
import type { Service } from './service.ts';
import type { StateFile } from './state.ts';

export interface Job {
  readonly service: Service;
  readonly channel: string;
  readonly upsert: string | undefined;
  /** Whether nothing is to be written to the service. */
  readonly dryRun: boolean;
  /** Whether there are entries to be found. */
  readonly isNewChannel: boolean;
  readonly inFlight: number;
  readonly rows: AsyncIterable<Row>;
  readonly preparer: Preparer;
  readonly file: StateFile;
  readonly rejects: Rejects;
  readonly progress: Progress;
  readonly interruption: Interruption;
}

/** A batch under way. */
interface Sent {
  readonly batch: Batch;
  readonly targets: readonly Target[];
  readonly outcomes: Promise<Outcome[]>;
  readonly mark: number;
}

/**
 * Imports what is left to import.
 * @returns whether all of it was; otherwise it was interrupted
 * @throws {Refusal} where it can't go on; the state says how far it is
 */
export async function importRows(job: Job): Promise<boolean> {
  const { file, interruption } = job;
  const window: Sent[] = [];
  const ends = file.state.pending.map(({ from, rows }) => from + rows);
  job.progress.skipped(file.state.rows);
  try {
    for await (const batch of batchesOf(prepared(job), file.state.rows, ends)) {
      if (interruption.stopping.aborted) break;
      while (window.length >= job.inFlight) await settle(job, window);
      window.push(await begin(job, batch));
    }
    while (window.length > 0) await settle(job, window);
  } catch (error) {
    if (interruption.ending.aborted) return false;
    interruption.end();
    throw error;
  }
  return !interruption.stopping.aborted;
}

async function* prepared({ rows, preparer }: Job): AsyncGenerator<Ready | Rejection> {
  for await (const row of rows) yield preparer.prepare(row);
}

/** Sends a batch, once the state says that it may have been sent. */
async function begin(job: Job, batch: Batch): Promise<Sent> {
  const { file, service, channel, progress } = job;
  const ready = batch.rows.filter((row): row is Ready => !('reason' in row));
  const known = file.state.pending.find(({ from }) => from === batch.from);
  const targets = known?.targets ?? (await findTargets(job, ready));
  const operations = ready.flatMap((row, at) => operationOf(row, targets[at] ?? null) ?? []);
  if (!known && !job.dryRun) {
    file.state.pending.push({
      ...{ from: batch.from, rows: batch.rows.length, operations: operations.length },
      targets: job.upsert === undefined ? null : targets,
      sentAt: new Date().toISOString(),
    });
    await file.save();
  }
  const outcomes =
    job.dryRun || operations.length === 0
      ? Promise.resolve(operations.map(() => ({ status: 200, updatedAt: undefined })))
      : send(service, channel, `${file.state.run}-${batch.from}`, operations);
  // It is awaited later; until then, that it failed is no news.
  outcomes.catch(() => undefined);
  return { batch, targets, outcomes, mark: progress.mark };
}

async function findTargets({ service, channel, upsert, isNewChannel }: Job, rows: readonly Ready[]): Promise<Target[]> {
  if (upsert === undefined || isNewChannel) return rows.map(() => null);
  return targetsOf(service, channel, upsert, rows);
}

function operationOf({ json }: Ready, target: Target): string | null {
  if (target === null) return `{"op":"create","data":${json}}`;
  return 'refused' in target ? null : `{"op":"update","id":${JSON.stringify(target.id)},"data":${json}}`;
}

/** Waits for the first batch of the window, and writes down what became of it. */
async function settle({ file, rejects, progress }: Job, window: Sent[]): Promise<void> {
  const [first] = window;
  if (first === undefined) return;
  const outcomes = await first.outcomes;
  window.shift();
  const { state } = file;
  const { batch, targets } = first;
  const rejections: Rejection[] = [];
  let [nextTarget, nextOutcome] = [0, 0];
  for (const row of batch.rows) {
    if ('reason' in row) {
      rejections.push(row);
      continue;
    }
    const target = targets[nextTarget++] ?? null;
    const isSent = target === null || !('refused' in target);
    const outcome = isSent ? outcomes[nextOutcome++] : { reason: target.refused };
    if (outcome === undefined || 'reason' in outcome) rejections.push(rejectionOf(row, outcome));
    else state.counts[kindOf(target, outcome)] += 1;
  }
  state.counts.failed += rejections.length;
  state.rejected = { ...state.rejected, ...(await rejects.add(rejections)) };
  state.rows = batch.from + batch.rows.length;
  state.pending = state.pending.filter(({ from }) => from >= state.rows);
  progress.done(batch.rows.length, first.mark);
}

function rejectionOf({ input, line, members }: Ready, outcome?: Extract<Outcome, { reason: string }>): Rejection {
  return { input, line, row: members, ...(outcome ?? { reason: 'the service says nothing of it' }) };
}

function kindOf(target: Target, outcome: Extract<Outcome, { status: number }>): 'created' | 'updated' | 'unchanged' {
  if (target === null || 'refused' in target) return 'created';
  return outcome.updatedAt === target.updatedAt ? 'unchanged' : 'updated';
}
