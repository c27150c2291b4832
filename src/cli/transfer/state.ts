// How far an import is, in a file that outlives the process: what is done, and which batches may be, with the keys under
// which they are sent again. It is written before a batch is sent, so that no batch can be forgotten.
import { createHash, randomUUID } from 'node:crypto';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { reasonOf, Refusal } from '../run.ts';
import { hold } from './hold.ts';
import type { Input } from './inputs.ts';
import type { Target } from './lookup.ts';

/** What became of the rows. */
export interface Counts {
  created: number;
  updated: number;
  unchanged: number;
  failed: number;
}

/** A batch that was sent, or was about to be. */
export interface Pending {
  readonly from: number;
  readonly rows: number;
  readonly operations: number;
  /** With --upsert: what was found for each row, so that the same operations are sent again. */
  readonly targets: readonly Target[] | null;
  readonly sentAt: string;
}

export interface State {
  /** What the batches' keys begin with. */
  readonly run: string;
  /** Tells whether the token is the same, and nothing else of it: the service keeps the keys apart by tokens. */
  readonly holder: string;
  /** What is imported, where to, and how. */
  readonly of: Readonly<Record<string, unknown>>;
  /** How many rows are done, from the first on. */
  rows: number;
  counts: Counts;
  /** How long the files of rejected rows were by then. */
  rejected: Record<string, number>;
  pending: Pending[];
}

/** What makes an import the one that a state is of. */
export interface Identity {
  readonly token: string;
  readonly inputs: readonly Input[];
  readonly url: string;
  readonly site: string | undefined;
  readonly channel: string;
  readonly upsert: string | undefined;
  readonly createChannel: boolean;
}

interface StateOptions {
  /** Where to keep it; otherwise beside the first input. */
  readonly stateDir?: string;
  /** Whether to forget what there is. */
  readonly restart?: true;
}

const version = 1;

/** Longer ago than this, the service may have forgotten the key of a batch: it keeps them for 24 hours. */
const longestPending = 23 * 3_600_000;

export class StateFile {
  readonly path: string | null;
  readonly state: State;
  /** Lets the next import of the same begin. */
  readonly release: () => void;

  private constructor(path: string | null, state: State, release: () => void = () => undefined) {
    this.path = path;
    this.state = state;
    this.release = release;
  }

  /** A state that is not kept: of a dry run. */
  static unkept(identity: Identity): StateFile {
    return new StateFile(null, freshState(identity));
  }

  /**
   * The state that an import was left in, or a new one; held until it is released.
   * @throws {Refusal} where the state there is of something else, or another process is at it
   */
  static async open(identity: Identity, { stateDir, restart }: StateOptions): Promise<StateFile> {
    const path = pathFor(identity, stateDir);
    if (path === null) return new StateFile(null, freshState(identity));
    const release = await hold(path);
    try {
      if (restart) await rm(path, { force: true });
      const found = await read(path);
      if (found !== null) check(path, found, identity);
      return new StateFile(path, found ?? freshState(identity), release);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Whether there is something to go on with. */
  get isBegun(): boolean {
    return this.state.rows > 0 || this.state.pending.length > 0;
  }

  /** Writes the state, all of it or, where the process or the machine dies, none. */
  async save(): Promise<void> {
    if (this.path === null) return;
    const draft = `${this.path}.new`;
    try {
      const file = await open(draft, 'w');
      try {
        await file.writeFile(`${JSON.stringify({ version, ...this.state })}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, this.path);
    } catch (error) {
      throw new Refusal(`Can't write ${this.path}: ${reasonOf(error)}. Give a directory for it: --state-dir.`);
    }
  }

  async remove(): Promise<void> {
    if (this.path !== null) await rm(this.path, { force: true });
  }
}

function freshState(identity: Identity): State {
  const run = randomUUID();
  const counts = { created: 0, updated: 0, unchanged: 0, failed: 0 };
  const holder = holderOf(run, identity.token);
  return { run, holder, of: describe(identity), rows: 0, counts, rejected: {}, pending: [] };
}

function holderOf(run: string, token: string): string {
  return createHash('sha256').update(`${run} ${token}`).digest('hex').slice(0, 8);
}

/** Beside the input, or in a directory: one for each channel that the inputs go to. */
function pathFor({ inputs, url, site, channel }: Identity, directory: string | undefined): string | null {
  const [first] = inputs;
  if (first === undefined || first.path === '-') return null;
  const whither = JSON.stringify([inputs.map(({ path }) => path), url, site ?? null, channel]);
  const hash = createHash('sha256').update(whither).digest('hex').slice(0, 8);
  return join(directory ?? dirname(first.path), `${basename(first.path)}.${channel}-${hash}.import`);
}

function describe({ inputs, url, site, channel, upsert, createChannel }: Identity): State['of'] {
  const files = inputs.map(({ path, format, fingerprint }) => ({ path, format, fingerprint }));
  return { url, site: site ?? null, channel, upsert: upsert ?? null, create_channel: createChannel, files };
}

async function read(path: string): Promise<State | null> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8')) as State & { readonly version: unknown };
    if (state.version === version) return state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
  }
  throw new Refusal(`${path} is not to be read: it is broken, or another version's. --restart begins anew without it.`);
}

/** @throws {Refusal} where a state is of something else, or the service can't tell any more what it has */
function check(path: string, { run, holder, of, pending, counts }: State, identity: Identity): void {
  const wanted = describe(identity);
  const differs = Object.keys(wanted).filter((key) => JSON.stringify(of[key]) !== JSON.stringify(wanted[key]));
  const done = counts.created + counts.updated + counts.unchanged;
  if (differs.length > 0) {
    const what = differs.includes('files')
      ? ', and the input was changed since'
      : ` with another ${differs.join(', ')}`;
    throw new Refusal(
      `An import of this was begun${what} (${path}; ${done} rows are stored). Give what it was begun with, or ` +
        '--restart to begin anew, which stores those rows again unless --upsert finds them.',
    );
  }
  if (pending.length > 0 && holder !== holderOf(run, identity.token)) {
    throw new Refusal(
      'The import was begun with another token, under which alone the service knows the rows that were being sent: give ' +
        'that one, or begin anew with --restart, and with --upsert to find the rows that are there.',
    );
  }
  const age = Math.max(0, ...pending.map(({ sentAt }) => Date.now() - Date.parse(sentAt)));
  if (age <= longestPending) return;
  const [first] = pending;
  throw new Refusal(
    `The import was left a day ago or more while rows ${(first?.from ?? 0) + 1} and on were being sent, and the service can't ` +
      'tell any more which of them it has. Begin anew with --restart, and with --upsert to find those that are there.',
  );
}
