// Attributes unhandled rejections to requests. Node reports only the error and the promise, so each error is noted with
// its request where a statement, an operation or a field of the request throws it. Without errors this costs nothing.

/** The owner of an error: the statistics of the request in which it arose. */
export interface ErrorOwner {
  readonly answer: object | null;
}

/** The owners of errors; null if an error arose in several requests, which waited for the same result. */
const owners = new WeakMap<object, ErrorOwner | null>();

/** Maximum length of a chain of causes to follow. */
const maxCauses = 8;

/** Notes the request in which an error arose. */
export function noteOwner(error: unknown, account: ErrorOwner): void {
  if (typeof error !== 'object' || error === null) return;
  const owner = owners.get(error);
  owners.set(error, owner === undefined || owner === account ? account : null);
}

/** Finds the request in which an error, or one of its causes, arose; null if it is unknown, or if there are several. */
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
