// Divides long work into steps, between which the event loop serves others.

/** The steps that wait for a turn, in their order. */
const waiting: (() => void)[] = [];

/** Resolves in a later turn of the event loop. Each turn lets only one go on, so that the steps of several requests do not add up. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGoOn);
  });
}

function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}
