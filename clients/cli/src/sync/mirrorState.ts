// The state of a file that sync keeps, in a file beside it: up to which cursor the file goes, and whose entries it has.
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { Refusal } from '../terminal/refusal.ts';
import { digestSubject, readStoredState, writeState, type StoredState } from '../terminal/storedState.ts';
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

export interface MirrorState extends StoredState {
  /** The file, and the one that is about to replace it or has replaced it. */
  readonly files: readonly KnownFile[];
}

/** What the states of one file have in common. */
export type MirrorIdentity = StoredState;

const mirrorVersion = 2;

/** What the states of a new file have in common. */
export function newMirror(subject: MirrorSubject): MirrorIdentity {
  const run = randomUUID();
  return { version: mirrorVersion, run, subject: digestSubject(run, subject) };
}

/** Writes the state of a file, all of it or nothing. @throws {Refusal} where it can't be written */
export async function saveMirror(file: string, { version, run, subject, files }: MirrorState): Promise<void> {
  const state: MirrorState = { version, run, subject, files };
  await writeState(statePath(file), state);
}

function statePath(path: string): string {
  return `${path}.sync`;
}

/** The stored state of a file; null where there is none. @throws {Refusal} where the file is of something else */
export async function readMirror(path: string, subject: MirrorSubject): Promise<MirrorState | null> {
  const found = await readStoredState<MirrorState>(statePath(path), mirrorVersion, subject);
  if (found?.changed.length === 0) return found.state;
  if (found === null) {
    if (!(await isThere(path))) return null;
    throw new Refusal(`${path} exists, and was not made by sync: name another file with -o, or replace it: --restart.`);
  }
  throw new Refusal(
    `${path} was made with another ${found.changed.join(' and another ')}: give the same as then, name another file with -o, ` +
      'or replace it: --restart.',
  );
}

function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
