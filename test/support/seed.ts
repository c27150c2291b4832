// The seed of a randomized run: the one that is asked for, else one of the commit, so that each commit is tried with
// another and one commit always with the same: a run that passed here passes there.
import { execFileSync } from 'node:child_process';

/** @param asked what the environment names @returns a whole number below 2^30 */
export function seedOf(asked: string | undefined): number {
  if (asked !== undefined) return Number(asked);
  try {
    const commit = execFileSync('git', ['rev-parse', 'HEAD'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return parseInt(commit.slice(0, 8), 16) % 2 ** 30;
  } catch {
    // No checkout: any will do, and it is printed.
    return Math.floor(Math.random() * 2 ** 30);
  }
}
