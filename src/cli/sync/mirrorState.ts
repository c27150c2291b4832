// The state of a file that sync keeps, in a file beside it: up to which cursor the file goes, and whose entries it has.
import { createHash, randomUUID } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { reasonOf, Refusal } from '../run.ts';
import type { ChannelForm } from './remote.ts';

/** Whose entries the file has: what must be the same for it to be continued. */
export type MirrorSubject = Readonly<Record<string, string | readonly string[] | null>>;

/** Up to where a file goes. */
export interface MirrorPlace {
  readonly cursor: string;
  readonly channels: Readonly<Record<string, ChannelForm>>;
}

/** A file that may be found, and up to where it goes. */
export interface KnownFile extends MirrorPlace {
  readonly digest: string;
  readonly entries: number;
  /** The first entry of each channel, by its id. */
  readonly first: Readonly<Record<string, string>>;
}

export interface State {
  readonly version: number;
  readonly run: string;
  readonly subject: Readonly<Record<string, string>>;
  /** The file, and the one that is about to replace it or has replaced it. */
  readonly files: readonly KnownFile[];
}

/** What the states of one file have in common. */
export type MirrorIdentity = Omit<State, 'files'>;

const stateVersion = 1;

/** What the states of a new file have in common. */
export function newState(subject: MirrorSubject): MirrorIdentity {
  const run = randomUUID();
  return { version: stateVersion, run, subject: digestSubject(run, subject) };
}

/** Writes the state of a file, all of it or nothing. @throws {Refusal} where it can't be written */
export async function saveState(file: string, { version, run, subject, files }: State): Promise<void> {
  const path = statePath(file);
  try {
    const text = JSON.stringify({ version, run, subject, files });
    await writeFile(`${path}.new`, `${text}\n`, { flush: true, mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.`);
  }
}

function statePath(path: string): string {
  return `${path}.sync`;
}

/** The stored state of a file; null where there is none. @throws {Refusal} where the file is of something else */
export async function readState(path: string, subject: MirrorSubject): Promise<State | null> {
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
