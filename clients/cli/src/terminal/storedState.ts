// The state of a command in a file that outlives the process: written whole or not at all, and tied to what it is of by digests.
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { reasonOf, Refusal } from './refusal.ts';

/** What each stored state has. */
export interface StoredState {
  /** The form of the state: one of another form is refused. */
  readonly version: number;
  /** Random: it makes the digests of each state different. */
  readonly run: string;
  /** What must be the same for the state to be used: a digest of each part, by its name in messages. */
  readonly subject: Readonly<Record<string, string>>;
}

/** A state that was read, and the names of the parts of its subject that are different now. */
export interface FoundState<State> {
  readonly state: State;
  readonly changed: readonly string[];
}

/**
 * Writes a state, all of it or, if the process or the machine dies, nothing. Only the owner may read it.
 * @param remedy what to do where that is not possible: the end of the message
 * @throws {Refusal} where it can't be written
 */
export async function writeState(path: string, state: StoredState, remedy = ''): Promise<void> {
  try {
    await writeFile(`${path}.new`, `${JSON.stringify(state)}\n`, { flush: true, mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (error) {
    throw new Refusal(`Can't write ${path}: ${reasonOf(error)}.${remedy}`);
  }
}

/**
 * Reads a state.
 * @param subject what it has to be of
 * @returns null where there is none
 * @throws {Refusal} where it can't be read, or has another form
 */
export async function readStoredState<State extends StoredState>(
  path: string,
  version: State['version'],
  subject: Readonly<Record<string, unknown>>,
): Promise<FoundState<State> | null> {
  let state: State;
  try {
    state = JSON.parse(await readFile(path, 'utf8')) as State;
    if (state.version !== version) throw new Error('it is of another version');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw new Refusal(`Can't read ${path}: ${reasonOf(error)}. --restart begins again without it.`);
  }
  const wanted = digestSubject(state.run, subject);
  return { state, changed: Object.keys(wanted).filter((name) => wanted[name] !== state.subject[name]) };
}

/** Digests each part of a subject. The run, which is random, is a part of each digest, so that it reveals nothing of a token. */
export function digestSubject(run: string, subject: Readonly<Record<string, unknown>>): StoredState['subject'] {
  return Object.fromEntries(Object.entries(subject).map(([name, value]) => [name, stateDigest([run, value])]));
}

/** The first 16 hexadecimal digits of a value's digest. */
export function stateDigest(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 16);
}
