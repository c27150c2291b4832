// The file that sync keeps. It is replaced as a whole, and the state beside it says for each file that may be found, by its
// digest, up to which cursor it goes: so a process may be killed at any moment.
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { reasonOf, Refusal } from '../terminal/refusal.ts';
import { lockFile } from '../terminal/fileLock.ts';
import type { RemoteEntry } from '../service/remoteEntries.ts';
import {
  newMirror,
  readMirror,
  saveMirror,
  type KnownFile,
  type MirrorIdentity,
  type MirrorPlace,
  type MirrorSubject,
} from './mirrorState.ts';

/** How entries of a file become those of the next one. */
export interface Rewrite {
  /** What an entry becomes; null: it goes. */
  readonly change: (entry: RemoteEntry) => RemoteEntry | null;
  /** Entries to add. @param ids those that the next file has */
  readonly add: (ids: ReadonlySet<string>) => AsyncIterable<RemoteEntry> | Iterable<RemoteEntry>;
}

export class MirrorFile {
  readonly path: string;
  readonly #release: () => void;
  readonly #identity: MirrorIdentity;
  #file: KnownFile | null;

  private constructor(path: string, release: () => void, identity: MirrorIdentity, file: KnownFile | null) {
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
      const state = restart ? null : await readMirror(path, subject);
      const identity = state ?? newMirror(subject);
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

  /** The id of the first entry of a channel in the file: it has been there for longest. */
  first(channel: string): string | undefined {
    return this.#file?.first[channel];
  }

  /** Lets other processes keep the file. */
  close(): void {
    this.#release();
  }

  /** Notes a place up to which the file goes as it is. */
  async advance(place: MirrorPlace): Promise<void> {
    if (this.#file === null) throw new Error('There is no file that could go up to a place.');
    this.#file = { ...this.#file, ...place };
    await saveMirror(this.path, { ...this.#identity, files: [this.#file] });
  }

  /** Replaces the file. @throws {Refusal} where it can't be written, and what reading the entries to add throws */
  async rewrite(rewrite: Rewrite, place: MirrorPlace): Promise<void> {
    const draft = `${this.path}.part`;
    const hash = createHash('sha256');
    const first: Record<string, string> = {};
    let entries = 0;
    const lines = async function* (old: AsyncIterable<string>): AsyncGenerator<string> {
      for await (const { line, id, channel } of linesAfter(rewrite, old)) {
        hash.update(line);
        entries += 1;
        first[channel] ??= id;
        yield line;
      }
    };
    try {
      const old = this.#file === null ? noLines() : readMirrorLines(this.path);
      await pipeline(lines(old), createWriteStream(draft, { flags: 'w', flush: true }));
      const next = { ...place, digest: hash.digest('hex'), entries, first };
      await saveMirror(this.path, { ...this.#identity, files: [...(this.#file ? [this.#file] : []), next] });
      await rename(draft, this.path);
      await syncDirectory(this.path);
      this.#file = next;
    } catch (error) {
      await rm(draft, { force: true }).catch(() => undefined);
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      throw new Refusal(`Can't write ${this.path}: ${reasonOf(error)}.`);
    }
  }
}

interface Line {
  readonly line: string;
  readonly id: string;
  readonly channel: string;
}

function makeLine(entry: RemoteEntry, text = JSON.stringify(entry)): Line {
  return { line: `${text}\n`, id: String(entry['id']), channel: String(entry['channel']) };
}

/** The lines of the next file. Pages of a list may repeat an entry: the first one counts. */
async function* linesAfter({ change, add }: Rewrite, old: AsyncIterable<string>): AsyncGenerator<Line> {
  const ids = new Set<string>();
  for await (const line of old) {
    const before = JSON.parse(line) as RemoteEntry;
    const after = change(before);
    if (after === null) continue;
    ids.add(String(after['id']));
    yield after === before ? makeLine(after, line) : makeLine(after);
  }
  for await (const entry of add(ids)) {
    if (ids.has(String(entry['id']))) continue;
    ids.add(String(entry['id']));
    yield makeLine(entry);
  }
}

async function* noLines(): AsyncGenerator<string> {
  // There is no file yet.
}

async function* readMirrorLines(path: string): AsyncGenerator<string> {
  const input = createReadStream(path);
  yield* createInterface({ input, crlfDelay: Infinity });
}

/** The digest of a file; null where there is none. */
async function digestFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
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
