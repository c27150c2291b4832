// The messages between the service's thread and the thread of the embedded database. An error is sent as a description
// and restored from it, because copying an error between threads loses its class and its members.
import { protocol, type PGliteOptions } from '@electric-sql/pglite';
import { DatabaseLostError, type HostRequest, type TextResults } from './pgliteHost.ts';

/** Sent by the service's thread; the first request is `open`, the last one `close`. */
export interface ThreadRequest {
  readonly id: number;
  readonly request:
    HostRequest | { readonly kind: 'open'; readonly options: PGliteOptions } | { readonly kind: 'close' };
}

/** Sent by the database's thread: the outcome of a request, or a notification. */
export type ThreadMessage =
  | { readonly id: number; readonly results: readonly TextResults[] }
  | { readonly id: number; readonly failure: Failure }
  | { readonly channel: string; readonly payload: string };

type Failure =
  | { readonly kind: 'database'; readonly message: string; readonly members: Readonly<Record<string, unknown>> }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string; readonly members: Readonly<Record<string, unknown>> };

/** The members that PGlite adds to an error: the statement with its values, which the service's thread already has. */
const addedMembers = new Set(['query', 'params', 'queryOptions']);

/** The members that classify an error of a file or of WebAssembly (src/cli/failure.ts). */
const knownMembers = ['name', 'code', 'errno', 'syscall', 'path'] as const;

/** Describes an error, so that it can be sent to the service's thread. */
export function describeError(error: unknown): Failure {
  if (error instanceof protocol.messages.DatabaseError) {
    const members = Object.entries(error).filter(([name]) => !addedMembers.has(name));
    return { kind: 'database', message: error.message, members: Object.fromEntries(members) };
  }
  if (error instanceof DatabaseLostError) return { kind: 'lost', message: (error.cause as Error).message };
  if (typeof error !== 'object' || error === null) return { kind: 'other', message: String(error), members: {} };
  // Emscripten's errors of files are no instances of Error, and may have no message.
  const described = error as Readonly<Record<string, unknown>>;
  const members = knownMembers.flatMap((name) => (name in error ? [[name, described[name]]] : []));
  const message = error instanceof Error ? error.message : `${String(described['name'])} ${String(described['errno'])}`;
  return { kind: 'other', message, members: Object.fromEntries(members) as Record<string, unknown> };
}

/** Makes an error of the described class. */
export function restoreError(failure: Failure): Error {
  if (failure.kind === 'lost') return new DatabaseLostError(new Error(failure.message));
  if (failure.kind === 'other') return Object.assign(new Error(failure.message), failure.members);
  const { length } = failure.members as { length: number };
  return Object.assign(new protocol.messages.DatabaseError(failure.message, length, 'error'), failure.members);
}
