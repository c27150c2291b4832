// Shares of a scarce thing: nobody holds more than a share, and nobody waits behind all requests of somebody else.
import { expect, test } from '@jest/globals';
import { FairQueue } from '../../../src/admission/fairQueue.ts';

/** A queue, and the names of those that were admitted, in their order. */
function open({ capacity = 2, share = 1, maxWait = 1_000 } = {}): {
  enter: (caller: string, weight?: number) => Promise<() => void>;
  admitted: string[];
} {
  const queue = new FairQueue({ capacity, share, maxWait });
  const admitted: string[] = [];
  const enter = async (caller: string, weight = 1): Promise<() => void> => {
    const leave = await queue.enter(caller, weight);
    admitted.push(caller);
    return leave;
  };
  return { enter, admitted };
}

/** Until everything that can go on has gone on. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

test('a caller holds at most its maximum of slots, however many are free', async () => {
  const { enter, admitted } = open();
  const leave = await enter('a');
  const second = enter('a');
  const leaveOther = await enter('b');
  leaveOther();
  await settled();
  expect(admitted).toEqual(['a', 'b']);
  leave();
  (await second)();
});

test('waiting callers are served in turn, those without slots first', async () => {
  const { enter, admitted } = open({ capacity: 1 });
  const leave = await enter('x');
  const waiting = ['x', 'a', 'a', 'b', 'x', 'c'].map(async (caller) => (await enter(caller))());
  leave();
  await Promise.all(waiting);
  expect(admitted).toEqual(['x', 'a', 'b', 'c', 'x', 'a', 'x']);
});

test('a waiting caller that holds slots is overtaken at most 16 times', async () => {
  const { enter, admitted } = open({ capacity: 2, share: 2, maxWait: 5_000 });
  const leave = await enter('long');
  const state = { isOver: false };
  const comeAndGo = async (caller: string): Promise<void> => {
    while (!state.isOver) {
      const leaveAgain = await enter(caller);
      await settled();
      leaveAgain();
    }
  };
  const others = ['a', 'b', 'c'].map(comeAndGo);
  await settled();
  const second = await enter('long');
  state.isOver = true;
  expect(admitted.length).toBeLessThan(40);
  second();
  leave();
  await Promise.all(others);
});

test('a caller that needs more than is free is not overtaken, and gets at most its maximum', async () => {
  const { enter, admitted } = open({ capacity: 10, share: 8 });
  const leave = await enter('a', 5);
  const heavy = enter('b', 100);
  const light = enter('c', 1);
  await settled();
  expect(admitted).toEqual(['a']);
  leave();
  (await heavy)();
  (await light)();
  expect(admitted).toEqual(['a', 'b', 'c']);
});

test('a caller that waits for too long is refused, and no longer delays others', async () => {
  const { enter, admitted } = open({ capacity: 2, share: 2, maxWait: 20 });
  const leave = await enter('a');
  await expect(enter('b', 2)).rejects.toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '1' } });
  (await enter('c'))();
  leave();
  // What is given back twice is given back once.
  leave();
  (await enter('b', 2))();
  expect(admitted).toEqual(['a', 'c', 'b']);
});

test('the event loop turns between two waiting callers', async () => {
  const { enter, admitted } = open({ capacity: 1 });
  const leave = await enter('a');
  const waiting = ['b', 'c', 'd', 'e'].map(async (caller) => (await enter(caller))());
  leave();
  const seen: number[] = [];
  while (admitted.length < 5) {
    await settled();
    seen.push(admitted.length);
  }
  await Promise.all(waiting);
  expect(seen.every((count, turn) => count - (seen[turn - 1] ?? 1) <= 1)).toBe(true);
});

test('the queue reports a lack of room only if others hold it', async () => {
  const queue = new FairQueue({ capacity: 2, share: 1, maxWait: 1_000 });
  const leave = await queue.enter('a');
  const second = queue.enter('a');
  expect(queue.lacksRoom()).toBe(false);
  const leaveOther = await queue.enter('b');
  const third = queue.enter('c');
  expect(queue.lacksRoom()).toBe(true);
  leave();
  leaveOther();
  (await second)();
  (await third)();
  expect(queue.lacksRoom()).toBe(false);
});

test('queueing does not scan all waiting callers', async () => {
  const measure = async (callers: number): Promise<number> => {
    const { enter } = open({ capacity: 2, share: 1, maxWait: 60_000 });
    const holding = await Promise.all([enter('a'), enter('b')]);
    const begun = process.cpuUsage();
    // One that holds something waits at the end, so that each of the others may overtake it.
    const waiting = ['a', ...Array.from({ length: callers }, (_, at) => `caller ${at}`)].map((caller) => enter(caller));
    const { user } = process.cpuUsage(begun);
    const gone = waiting.map(async (leave) => (await leave)());
    for (const leave of holding) leave();
    await Promise.all(gone);
    return user;
  };
  await measure(2_000);
  const [few, many] = [await measure(2_000), await measure(40_000)];
  // Twenty times as many take twenty times as long, and not four hundred times.
  expect(many / few).toBeLessThan(120);
}, 600_000);
