// New documents are read one at a time, in turns of their callers, and others have time between two of them (src/admission/shares.ts).
import { expect, test } from '@jest/globals';
import { Shares } from '../../../src/admission/shares.ts';

const shares = new Shares({ connections: 4, maxWait: 60_000, maxReading: 1_000 });

/** Keeps the event loop busy for some milliseconds. */
function block(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test('documents of several callers are read in turn, and the event loop turns between two of them', async () => {
  const events: string[] = [];
  const state = { isOver: false };
  const others = (async () => {
    while (!state.isOver) {
      events.push('others');
      await new Promise(setImmediate);
    }
  })();
  const work = (caller: string): Promise<string> =>
    shares.of(caller).readAlone(() => {
      events.push(caller);
      block(20);
      return caller;
    });
  expect(await Promise.all(['a', 'a', 'a', 'b'].map(work))).toEqual(['a', 'a', 'a', 'b']);
  state.isOver = true;
  await others;
  const runs = events
    .join(' ')
    .split(/(?:others ?)+/)
    .map((each) => each.trim());
  expect(runs.filter((each) => each !== '')).toEqual(['a', 'b', 'a', 'a']);
});

test('reading a document that throws releases its slot', async () => {
  const failed = shares.of('a').readAlone(() => {
    throw new Error('no');
  });
  await expect(failed).rejects.toThrow('no');
  expect(await shares.of('b').readAlone(() => 'done')).toBe('done');
});

test('a document that waits for too long is refused', async () => {
  const impatient = new Shares({ connections: 4, maxWait: 20, maxReading: 1_000 });
  const first = impatient.of('a').readAlone(() => block(200));
  const second = impatient.of('b').readAlone(() => 'read');
  await expect(second).rejects.toMatchObject({ code: 'unavailable' });
  await first;
});
