// What the process does meanwhile: whether its event loop is held up, and how much memory it keeps.
import { readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The processor time for which work may hold up the event loop, in milliseconds. */
export const maxBlockMilliseconds = 2_000;

const interval = 50;

export interface Watch {
  /** The longest processor time, in milliseconds, for which work held up the loop: another program's share is none of it. */
  readonly longest: () => number;
  readonly stop: () => void;
}

/** Watches the event loop. */
export function watchLoop(): Watch {
  let longest = 0;
  let used = processorTime();
  const timer = setInterval(() => {
    const usedNow = processorTime();
    longest = Math.max(longest, usedNow - used);
    used = usedNow;
  }, interval);
  return { longest: () => longest, stop: () => clearInterval(timer) };
}

/** The processor time of the thread that runs the event loop, in milliseconds; of all threads where no one tells. */
function processorTime(): number {
  try {
    const [running = ''] = readFileSync('/proc/self/schedstat', 'utf8').split(' ');
    return Number(running) / 1e6;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  }
}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

const megabyte = 2 ** 20;

/** The memory in use once garbage is collected, and what the system has given, in megabytes. */
export function memory(): { heap: number; resident: number } {
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  return { heap: Math.round(heapUsed / megabyte), resident: Math.round(rss / megabyte) };
}
