// What passes between the service's thread and the thread of the embedded database. Errors are taken apart, because a copy of one
// between threads has neither its class nor its members.
import { protocol, type PGliteOptions } from '@electric-sql/pglite';
import { DatabaseLostError, type HostRequest, type TextResults } from './pgliteHost.ts';

/** Asked by the service's thread; the first request of all is `open`, the last one `close`. */
export interface ThreadRequest {
  readonly id: number;
  readonly request:
    HostRequest | { readonly kind: 'open'; readonly options: PGliteOptions } | { readonly kind: 'close' };
}

/** Told by the database's thread: the outcome of a request, or a notification. */
export type ThreadMessage =
  | { readonly id: number; readonly results: readonly TextResults[] }
  | { readonly id: number; readonly failure: Failure }
  | { readonly channel: string; readonly payload: string };

type Failure =
  | { readonly kind: 'database'; readonly message: string; readonly members: Readonly<Record<string, unknown>> }
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'other'; readonly message: string };

/** What an error of PGlite says of the request: its own text and values, which whoever sent it has. */
const requestMembers = new Set(['query', 'params', 'queryOptions', 'name']);

export function describeError(error: unknown): Failure {
  if (error instanceof protocol.messages.DatabaseError) {
    const members = Object.entries(error).filter(([name]) => !requestMembers.has(name));
    return { kind: 'database', message: error.message, members: Object.fromEntries(members) };
  }
  if (error instanceof DatabaseLostError) return { kind: 'lost', message: (error.cause as Error).message };
  return { kind: 'other', message: error instanceof Error ? error.message : String(error) };
}

/** @returns an error of the class that was described */
export function restoreError(failure: Failure): Error {
  if (failure.kind === 'lost') return new DatabaseLostError(new Error(failure.message));
  if (failure.kind === 'other') return new Error(failure.message);
  const { length } = failure.members as { length: number };
  return Object.assign(new protocol.messages.DatabaseError(failure.message, length, 'error'), failure.members);
}
