// The file that sync keeps, with its state beside it. The file is replaced as a whole, and the state says for each file that
// may be found, by its digest, up to which cursor it goes: so a process may be killed at any moment.
import { createHash, randomUUID, type Hash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { reasonOf, Refusal } from '../run.ts';
import type { RemoteEntry } from '../transfer/remoteEntries.ts';
import { lockFile } from '../transfer/fileLock.ts';
import type { ChannelForm } from './remote.ts';

/** Whose entries the file has: what must be the same for it to be continued. */
export type MirrorSubject = Readonly<Record<string, string | readonly string[] | null>>;

/** Up to where a file goes. */
export interface MirrorPlace {
  readonly cursor: string;
  readonly channels: Readonly<Record<string, ChannelForm>>;
}

interface KnownFile extends MirrorPlace {
  readonly digest: string;
  readonly entries: number;
}

interface State {
  readonly version: number;
  readonly run: string;
  readonly subject: Readonly<Record<string, string>>;
  /** The file, and the one that is about to replace it or has replaced it. */
  readonly files: readonly KnownFile[];
}

type Identity = Omit<State, 'files'>;

/** How entries of a file become those of the next one. */
export interface Rewrite {
  /** What an entry becomes; null: it goes. */
  readonly change: (entry: RemoteEntry) => RemoteEntry | null;
  /** Entries to add. @param ids those that the next file has */
  readonly add: (ids: ReadonlySet<string>) => AsyncIterable<RemoteEntry> | Iterable<RemoteEntry>;
}

const stateVersion = 1;

export class MirrorFile {
  readonly path: string;
  readonly #release: () => void;
  readonly #identity: Identity;
  #file: KnownFile | null;

  private constructor(path: string, release: () => void, identity: Identity, file: KnownFile | null) {
    this.path = path;
    this.#release = release;
    this.#identity = identity;
    this.#file = file;
  }

  /**
   * Opens a file, with what is known of it, and locks it until it is closed.
   * @param restart whether to forget what is known
   * @throws {Refusal} where the file is of something else, or another process keeps it
   */
  static async open(path: string, subject: MirrorSubject, restart: boolean): Promise<MirrorFile> {
    const release = await lockFile(`${path}.sync.lock`, {
      busy: `Another process keeps ${path} already: stop it, or name another file with -o.`,
      remedy: 'Name another file with -o.',
    });
    try {
      const state = restart ? null : await readState(path, subject);
      const run = state?.run ?? randomUUID();
      const identity = { version: stateVersion, run, subject: digestSubject(run, subject) };
      const digest = state && (await digestFile(path));
      const file = state?.files.find((known) => known.digest === digest) ?? null;
      return new MirrorFile(path, release, identity, file);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Up to where the file goes; null: there is none, or it is not as it was left. */
  get place(): MirrorPlace | null {
    return this.#file;
  }

  /** How many entries the file has. */
  get entries(): number {
    return this.#file?.entries ?? 0;
  }

  /** Lets other processes keep the file. */
  close(): void {
    this.#release();
  }

  /** Notes a place up to which the file goes as it is. */
  async advance(place: MirrorPlace): Promise<void> {
    if (this.#file === null) throw new Error('There is no file that could go up to a place.');
    this.#file = { ...this.#file, ...place };
    await this.#saveState([this.#file]);
  }

  /** Replaces the file. @throws {Refusal} where it can't be written, and what reading the entries to add throws */
  async rewrite(rewrite: Rewrite, place: MirrorPlace): Promise<void> {
    const draft = `${this.path}.part`;
    const hash = createHash('sha256');
    let entries = 0;
    const lines = async function* (old: AsyncIterable<string>): AsyncGenerator<string> {
      for await (const line of linesAfter(rewrite, old)) {
        hash.update(line);
        entries += 1;
        yield line;
      }
    };
    try {
      const old = this.#file === null ? noLines() : readLines(this.path);
      await pipeline(lines(old), createWriteStream(draft, { flags: 'w', flush: true }));
      const next = { ...place, digest: hash.digest('hex'), entries };
      await this.#saveState([...(this.#file ? [this.#file] : []), next]);
      await rename(draft, this.path);
      await syncDirectory(this.path);
      this.#file = next;
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new Refusal(`Can't write ${this.path}: ${reasonOf(error)}.`);
    }
  }

  async #saveState(files: readonly KnownFile[]): Promise<void> {
    const state: State = { ...this.#identity, files };
    const path = statePath(this.path);
    try {
      await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`, { flush: true, mode: 0o600 });
      await rename(`${path}.new`, path);
    } catch (error) {
      throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
    }
  }
}

/** The lines of the next file. Pages of a list may repeat an entry: the first one counts. */
async function* linesAfter({ change, add }: Rewrite, old: AsyncIterable<string>): AsyncGenerator<string> {
  const ids = new Set<string>();
  for await (const line of old) {
    const before = JSON.parse(line) as RemoteEntry;
    const after = change(before);
    if (after === null) continue;
    ids.add(String(after['id']));
    yield after === before ? `${line}\n` : `${JSON.stringify(after)}\n`;
  }
  for await (const entry of add(ids)) {
    const id = String(entry['id']);
    if (ids.has(id)) continue;
    ids.add(id);
    yield `${JSON.stringify(entry)}\n`;
  }
}

async function* noLines(): AsyncGenerator<string> {
  // There is no file yet.
}

async function* readLines(path: string): AsyncGenerator<string> {
  const input = createReadStream(path);
  yield* createInterface({ input, crlfDelay: Infinity });
}

function statePath(path: string): string {
  return `${path}.sync`;
}

/** The stored state; null where there is none. @throws {Refusal} where the file is of something else */
async function readState(path: string, subject: MirrorSubject): Promise<State | null> {
  let state: State;
  try {
    state = JSON.parse(await readFile(statePath(path), 'utf8')) as State;
    if (state.version !== stateVersion) throw new Error('it is of another version');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) {
      throw new Refusal(`Can't read ${statePath(path)}: ${reasonOf(error)}. --restart begins again without it.`);
    }
    const isThere = await stat(path).then(
      () => true,
      () => false,
    );
    if (!isThere) return null;
    throw new Refusal(`${path} exists, and was not made by sync: name another file with -o, or replace it: --restart.`);
  }
  const wanted = digestSubject(state.run, subject);
  const changed = Object.keys(wanted).filter((name) => wanted[name] !== state.subject[name]);
  if (changed.length === 0) return state;
  throw new Refusal(
    `${path} was made with another ${changed.join(' and another ')}: give the same as then, name another file with -o, ` +
      'or replace it: --restart.',
  );
}

/** The run, which is random, is a part of each digest, so that a digest reveals nothing of a token. */
function digestSubject(run: string, subject: MirrorSubject): State['subject'] {
  const digest = (value: unknown): string => {
    return createHash('sha256')
      .update(JSON.stringify([run, value]))
      .digest('hex')
      .slice(0, 16);
  };
  return Object.fromEntries(Object.entries(subject).map(([name, value]) => [name, digest(value)]));
}

/** The digest of a file; null where there is none. */
async function digestFile(path: string): Promise<string | null> {
  const hash: Hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Refusal(`Can't read ${path}: ${reasonOf(error)}.`);
  }
  return hash.digest('hex');
}

/** Makes the new name of a file outlive the machine. Not every system can. */
async function syncDirectory(path: string): Promise<void> {
  try {
    const directory = await open(dirname(path));
    await directory.sync().finally(() => directory.close());
  } catch {
    // The file has its name all the same.
  }
}
