// What processes use, as Linux tells it; NaN where there is no /proc.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';

const hasProc = existsSync('/proc/self/stat');
/** In microseconds. */
const tick = hasProc ? 1e6 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' })) : NaN;

/** What /proc tells of a process, in ticks; null once it has ended. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the command, in parentheses, may hold anything.
    const numbers = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [, parent] = numbers;
    const [user, system, endedUser, endedSystem] = numbers.slice(11, 15);
    return { parent, own: user + system, ended: endedUser + endedSystem };
  } catch {
    return null;
  }
}

/** The CPU time of a process so far, in microseconds. */
export function cpuTime(pid) {
  return (readStat(pid)?.own ?? NaN) * tick;
}

/** The CPU time of a process and its children, those that have ended included, in microseconds. */
export function cpuTimeWithChildren(pid) {
  if (!hasProc) return NaN;
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const children = processes.map(readStat).filter((stat) => stat?.parent === pid);
  const { own, ended } = readStat(pid) ?? { own: NaN, ended: NaN };
  return children.reduce((sum, child) => sum + child.own + child.ended, own + ended) * tick;
}

/** The memory of a process in megabytes: what it has, and the most that it had. */
export function memory(pid) {
  const status = hasProc ? readFileSync(`/proc/${pid}/status`, 'utf8') : '';
  const megabytes = (name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
  return { resident: megabytes('VmRSS'), peak: megabytes('VmHWM') };
}
