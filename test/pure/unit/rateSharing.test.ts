// Several processes share a limit (docs/contract.md §13.1): they are simulated here, with a store in place of the database, and a clock
// that the tests advance.
import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { RateLimits } from '../../../src/admission/rateLimits.ts';
import {
  rateLimitTopic,
  type RateTotal,
  type ShareCounts,
  type UnsharedCount,
} from '../../../src/admission/rateCounts.ts';

const limit = 10_000;
const master = { id: 'one', kind: 'master' } as const;

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
});
afterEach(() => {
  jest.useRealTimers();
});

/** The store of all processes, as the table and its notifications are (src/admission/rateCounts.ts). */
class Store {
  readonly #rows = new Map<string, { operations: number; endsAt: number }>();
  readonly processes: RateLimits[] = [];
  /** What was told, and how many notifications each process got. */
  readonly told: UnsharedCount[] = [];
  notifications = 0;
  failure: Error | null = null;

  share: ShareCounts = (told) => {
    if (this.failure !== null) return Promise.reject(this.failure);
    return Promise.resolve(told.map((count) => this.#add(count)));
  };

  start(count: number): readonly RateLimits[] {
    const limits = { perToken: limit, perAddress: 1e9, perPublicToken: 1e9, legacyHeaders: false };
    for (let at = 0; at < count; at += 1) this.processes.push(new RateLimits(limits, this.share, () => undefined));
    return this.processes;
  }

  /** A second passes: every process tells what it has to. */
  async round(): Promise<void> {
    jest.advanceTimersByTime(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }

  #add(count: UnsharedCount): RateTotal {
    this.told.push(count);
    const { name, key, operations: added } = count;
    const now = performance.now();
    const found = this.#rows.get(key);
    const row = found && found.endsAt > now ? found : { operations: 0, endsAt: now + 60_000 };
    const before = row.operations;
    row.operations += added;
    this.#rows.set(key, row);
    const milliseconds = row.endsAt - now;
    const hasPassed = (bound: number): boolean => before < bound && row.operations >= bound;
    if (hasPassed(count.limit / 2) || (before <= count.limit && row.operations > count.limit)) {
      this.notifications += 1;
      for (const process of this.processes) {
        process.receiveCounts([rateLimitTopic, name, key, String(row.operations), String(milliseconds)]);
      }
    }
    return { name, key, operations: row.operations, milliseconds };
  }
}

/** Whether a process admits one operation of the token. */
function admits(process: RateLimits | undefined): boolean {
  const request = process?.admitRequest('192.0.2.1');
  try {
    if (request !== undefined) process?.admitOperations(request, master, 1);
    return true;
  } catch {
    return false;
  }
}

/** Sends operations to processes by turns, so many a second, for as many seconds. @returns how many were admitted */
async function send(store: Store, perSecond: number, seconds: number): Promise<number> {
  let [sent, admitted] = [0, 0];
  for (let second = 0; second < seconds; second += 1) {
    for (let at = 0; at < perSecond; at += 1) {
      sent += 1;
      if (admits(store.processes[sent % store.processes.length])) admitted += 1;
    }
    await store.round();
  }
  return admitted;
}

describe('operations beyond a limit', () => {
  test.each([1, 2, 10, 100, 200, 500])(
    '%d processes exceed a limit by at most the operations of two seconds',
    async (processes) => {
      const store = new Store();
      store.start(processes);
      const perSecond = 1_000;
      const admitted = await send(store, perSecond, 30);
      expect(admitted).toBeGreaterThanOrEqual(limit);
      expect(admitted).toBeLessThanOrEqual(limit + 2 * perSecond);
    },
  );

  test('1,000 processes exceed a limit by at most half of it besides', async () => {
    const store = new Store();
    store.start(1_000);
    const admitted = await send(store, 1_000, 40);
    expect(admitted).toBeLessThanOrEqual(1.5 * limit + 2_000);
  });

  test('processes whose windows begin one after the other, and peak before these end, do not exceed a limit further', async () => {
    const store = new Store();
    const processes = store.start(10);
    let admitted = 0;
    for (let second = 0; second < 120; second += 1) {
      processes.forEach((process, at) => {
        if (second === 6 * at) admits(process);
        for (let sent = 1; second === 6 * at + 59 && sent < limit / 2; sent += 1) if (admits(process)) admitted += 1;
      });
      await store.round();
    }
    expect(admitted).toBeGreaterThan(0.9 * limit);
    expect(admitted).toBeLessThanOrEqual(limit + processes.length);
  });

  test('a limit is not exceeded where one process gets all operations', () => {
    const store = new Store();
    const [first] = store.start(200);
    const admitted = Array.from({ length: limit + 500 }, () => admits(first)).filter(Boolean);
    expect(admitted).toHaveLength(limit);
  });

  test('a process that has seen nothing of a key refuses it once the limit is exceeded', async () => {
    const store = new Store();
    const processes = store.start(3);
    for (let at = 0; at <= limit; at += 1) admits(processes[0]);
    await store.round();
    expect(admits(processes[2])).toBe(false);
  });
});

describe('shared counts', () => {
  test('a process shares no count below a thousandth of the limit', async () => {
    const store = new Store();
    store.start(10);
    for (const process of store.processes) for (let at = 0; at < limit / 1_000 - 1; at += 1) admits(process);
    await store.round();
    expect(store.told).toEqual([]);
    admits(store.processes[0]);
    await store.round();
    expect(store.told).toMatchObject([{ name: 'token', key: 'one', operations: limit / 1_000 }]);
    expect(store.notifications).toBe(0);
  });

  test('a process shares its counts every second near the limit', async () => {
    const store = new Store();
    const processes = store.start(3);
    for (let at = 0; at < limit / 2; at += 1) admits(processes[0]);
    await store.round();
    expect(store.notifications).toBe(1);
    admits(processes[1]);
    await store.round();
    expect(store.told.at(-1)).toMatchObject({ operations: 1 });
  });

  test('no count is shared beyond the limit; every process is notified of it once', async () => {
    const store = new Store();
    const processes = store.start(3);
    for (let at = 0; at <= limit; at += 1) admits(processes[0]);
    await store.round();
    const [told, notifications] = [store.told.length, store.notifications];
    for (const process of processes) admits(process);
    await store.round();
    expect([store.told.length, store.notifications, notifications]).toEqual([told, 1, 1]);
  });

  test('counts that could not be shared are shared later, once', async () => {
    const store = new Store();
    const processes = store.start(2);
    store.failure = new Error('away');
    for (let at = 0; at < 100; at += 1) admits(processes[0]);
    await store.round();
    store.failure = null;
    for (let at = 0; at < 100; at += 1) admits(processes[0]);
    await store.round();
    await store.round();
    expect(store.told.map(({ operations }) => operations)).toEqual([200]);
  });

  test('an ended window begins again in every process', async () => {
    const store = new Store();
    const processes = store.start(2);
    for (let at = 0; at <= limit; at += 1) admits(processes[0]);
    await store.round();
    expect([admits(processes[0]), admits(processes[1])]).toEqual([false, false]);
    jest.advanceTimersByTime(60_001);
    expect([admits(processes[0]), admits(processes[1])]).toEqual([true, true]);
  });
});
