// Which request a rejection belongs to that nobody handled. Node names only the error and the promise, so errors are noted where they
// pass through what knows its request: its statements, its operations and its fields. This costs nothing where nothing fails.

/** What an error can belong to: the account of a request, with its answer. */
export interface ErrorOwner {
  readonly answer: object | null;
}

/** The accounts of the requests in which errors arose; null: it arose in several, which waited for the same. */
const owners = new WeakMap<object, ErrorOwner | null>();

/** How many errors are looked at, each the cause of the one before. */
const maxCauses = 8;

/** Notes in which request an error arose. */
export function noteOwner(error: unknown, account: ErrorOwner): void {
  if (typeof error !== 'object' || error === null) return;
  const known = owners.get(error);
  owners.set(error, known === undefined || known === account ? account : null);
}

/** Finds the account of the request in which an error, or what caused it, arose; null: it is not known, or there are several. */
export function findOwner(error: unknown): ErrorOwner | null {
  let at = error as { readonly cause?: unknown; readonly originalError?: unknown } | null | undefined;
  for (let depth = 0; depth < maxCauses && typeof at === 'object' && at !== null; depth += 1) {
    const owner = owners.get(at);
    if (owner !== undefined) return owner;
    // An error of GraphQL has the one that a resolver threw as its `originalError`.
    at = (at.originalError ?? at.cause) as typeof at;
  }
  return null;
}
