// The state of an import, in a file that outlives the process: which rows are done, and which batches may have been sent, with
// all that is needed to send them again. It is written before a batch is sent, so that no batch can be forgotten.
import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Refusal } from '../../terminal/refusal.ts';
import {
  digestSubject,
  readStoredState,
  stateDigest,
  writeState,
  type StoredState,
} from '../../terminal/storedState.ts';
import type { ColumnChoice } from '../columns/columns.ts';
import { lockFile } from '../../terminal/fileLock.ts';
import type { InputFile } from './inputFiles.ts';
import type { RejectLengths } from './rejectFiles.ts';
import type { UpsertTarget } from '../../service/remoteEntries.ts';

/** A batch that was sent, or was about to be. */
interface PendingBatch {
  /** How many rows come before it. */
  readonly from: number;
  /** With --upsert: what was found for each row, so that the same operations are sent again. */
  readonly targets: readonly UpsertTarget[] | null;
  readonly sentAt: string;
}

/** How far a pass over rows has come. */
export interface PassState {
  /** How many rows are done, from the first one on. */
  rows: number;
  pending: PendingBatch[];
}

/** The idempotency keys of the batches begin with its run. */
export interface ImportState extends StoredState, PassState {
  readonly counts: { created: number; updated: number; unchanged: number; failed: number };
  readonly rejected: RejectLengths;
  /** The pass that sets references among the rows, and the length of the file that has them. */
  readonly links: PassState & { bytes: number };
}

/** What is imported, where to, and how. */
interface ImportSubject {
  readonly inputs: readonly InputFile[];
  readonly url: string;
  readonly site: string | undefined;
  readonly channel: string;
  readonly token: string;
  readonly upsert: string | undefined;
  readonly createChannel: boolean;
  readonly columns: ColumnChoice;
}

const stateVersion = 5;

/** The service forgets the key of a batch after 24 hours. */
const maxPendingMilliseconds = 23 * 3_600_000;

export interface StateFile {
  /** Null where the state is not kept. */
  readonly path: string | null;
  readonly state: ImportState;
  /** Unlocks the state, so that another process may import the same files. */
  readonly release: () => void;
}

/**
 * The state in which an earlier import stopped, or a new one. It is locked until it is released.
 * @param directory the directory to keep it in; absent: that of the first input; null: it is not kept
 * @param restart whether to forget an earlier import
 * @throws {Refusal} where the state is of another import, or another process works on the same one
 */
export async function openState(
  subject: ImportSubject,
  directory?: string | null,
  restart = false,
): Promise<StateFile> {
  const { inputs, url, site = null, channel } = subject;
  const [first] = inputs;
  if (directory === null || !first || first.path === '-') {
    return { path: null, state: createState(subject), release: () => undefined };
  }
  const hash = stateDigest([inputs.map(({ path }) => path), url, site, channel]).slice(0, 8);
  const path = join(directory ?? dirname(first.path), `${basename(first.path)}.${channel}-${hash}.import`);
  // Two processes that import the same files would store rows twice.
  const release = await lockFile(`${path}.lock`, {
    busy: `Another process is importing the same files (${path}): wait for it, or stop it.`,
    remedy: 'Give another directory: --state-dir.',
  });
  try {
    if (restart) await rm(path, { force: true });
    return { path, state: (await readState(path, subject)) ?? createState(subject), release };
  } catch (error) {
    release();
    throw error;
  }
}

/** Writes the state, all of it or, if the process or the machine dies, nothing. @throws {Refusal} where it can't */
export async function saveState({ path, state }: StateFile): Promise<void> {
  if (path === null) return;
  await writeState(path, state, ' Give another directory: --state-dir.');
}

function createState(subject: ImportSubject): ImportState {
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const run = randomUUID();
  return {
    version: stateVersion,
    run,
    subject: digestSubject(run, listParts(subject)),
    rows: 0,
    counts,
    rejected: {},
    pending: [],
    links: { rows: 0, pending: [], bytes: 0 },
  };
}

/** What must be the same for the import to continue, by its name in messages. */
function listParts({ inputs, token, upsert, createChannel, columns }: ImportSubject): Record<string, unknown> {
  return {
    input: inputs,
    token,
    '--upsert field': upsert ?? null,
    'choice of --create-channel': createChannel,
    '--rename, --ignore or --keep': [[...columns.renames], [...columns.ignored], columns.keepsIdentity],
  };
}

/** The stored state, or null. @throws {Refusal} where it is of another import, or too old to send batches again */
async function readState(path: string, subject: ImportSubject): Promise<ImportState | null> {
  const found = await readStoredState<ImportState>(path, stateVersion, listParts(subject));
  if (found === null) return null;
  const { state, changed } = found;
  const isOld = [...state.pending, ...state.links.pending].some(
    ({ sentAt }) => Date.now() - Date.parse(sentAt) > maxPendingMilliseconds,
  );
  if (changed.length === 0 && !isOld) return state;
  const problem = isOld
    ? 'and is about a day old, so that the service no longer knows which of the next rows it has stored'
    : `and had another ${changed.join(' and another ')}: give the same as then`;
  throw new Refusal(
    `An import of these files was not finished (${path}; ${state.rows} rows are done), ${problem}. Or begin again with --restart, ` +
      'and with --upsert to find the rows that are stored already.',
  );
}
