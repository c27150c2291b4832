// Waiting with a time limit.

/**
 * The outcome of `work`, if it comes within `limit` milliseconds. Work that takes longer goes on; its outcome is dropped.
 * @throws Error with `message` when the time is up
 */
export async function within<T>(limit: number, work: Promise<T>, message: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(message)), limit);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
