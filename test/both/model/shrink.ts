// Shortens a history that fails.
import type { Step } from './steps.ts';

/**
 * The shortest history found that still fails: steps are left out, many at once and then one by one.
 * @param reason why a history fails; null where it does not
 * @param timeLimit milliseconds to look for it
 */
export async function shortest(
  steps: readonly Step[],
  reason: (steps: readonly Step[]) => Promise<string | null>,
  timeLimit: number,
): Promise<{ steps: readonly Step[]; reason: string | null }> {
  const giveUpAt = performance.now() + timeLimit;
  let found = { steps, reason: await reason(steps) };
  for (let size = Math.ceil(steps.length / 2); size >= 1 && performance.now() < giveUpAt; size = Math.floor(size / 2)) {
    for (let at = found.steps.length - size; at >= 0 && performance.now() < giveUpAt; at -= size) {
      const fewer = found.steps.toSpliced(at, size);
      const why = await reason(fewer);
      if (why !== null) found = { steps: fewer, reason: why };
    }
  }
  return found;
}
