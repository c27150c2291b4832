// Waiting with a timeout.

/** How long a database may take to answer a ping. */
export const pingTimeoutMilliseconds = 2_000;

/**
 * Waits for `work`, for at most some milliseconds. Work that takes longer is not cancelled, but its result is ignored.
 * @throws the error that `refuse` returns, after the timeout; what `work` throws before it
 */
export async function withTimeout<T>(milliseconds: number, work: Promise<T>, refuse: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(refuse()), milliseconds);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
