// The processor time of work: unlike the time on the clock it does not grow where other processes keep the machine busy.

/** Runs something, and returns the seconds of processor time that the whole process took meanwhile. */
export async function cpuSecondsOf(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
