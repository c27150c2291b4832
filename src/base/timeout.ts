// Waits with a timeout.

/** The time that a database has to answer a ping. */
export const pingTimeoutMilliseconds = 2_000;

/**
 * Waits for `work`, for at most some milliseconds. Work that takes longer is not cancelled, but its result is ignored.
 * @throws the error that `refuse` returns, after the timeout; the error of `work` before it
 */
export function withTimeout<T>(milliseconds: number, work: Promise<T>, refuse: () => Error): Promise<T> {
  return withTimeLimit(milliseconds, () => work, refuse);
}

/**
 * Waits as `withTimeout` for work that sets another limit as it comes to its last step.
 * @param run gets a function that replaces the rest of the milliseconds
 */
export function withTimeLimit<T>(
  milliseconds: number,
  run: (limit: (milliseconds: number) => void) => Promise<T>,
  refuse: () => Error,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let isOver = false;
    const end = (): void => {
      isOver = true;
      clearTimeout(timer);
    };
    const limit = (left: number): void => {
      clearTimeout(timer);
      if (isOver) return;
      timer = setTimeout(() => {
        end();
        reject(refuse());
      }, left);
    };
    limit(milliseconds);
    const working = run(limit);
    const settle = (): void => {
      end();
      resolve(working);
    };
    working.then(settle, settle);
  });
}
