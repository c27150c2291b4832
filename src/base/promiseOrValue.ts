// Values that may be there already. A promise, and each `await` of one, takes memory and a turn of the queue of microtasks: the
// way of a request makes none for a cache that hits, a queue that is free or rights that were checked just now.

/**
 * A value, or a promise of it where it has to be waited for. The lint refuses one of a boolean in a condition; it does not see
 * that of an object or null.
 */
export type PromiseOrValue<Value> = Promise<Value> | Value;

/** Whether a value has to be waited for. Every thenable counts, as for `await`: also the statements of Prisma. */
export function isPromise<Value>(value: PromiseOrValue<Value>): value is Promise<Value> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function';
}

/** Continues with a value: at once, or when it is there. @throws the errors of `next`; a promise rejects with them */
export function andThen<Value, Result>(
  value: PromiseOrValue<Value>,
  next: (value: Value) => PromiseOrValue<Result>,
): PromiseOrValue<Result> {
  return isPromise(value) ? value.then(next) : next(value);
}
