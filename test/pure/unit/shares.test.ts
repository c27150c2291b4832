// The part of a pool that hangs where commits are not confirmed, whoever writes (docs/contract.md §13.2).
import { expect, test } from '@jest/globals';
import type { DatabaseClient } from '../../../src/database/client.ts';
import { PlainRunner } from '../../../src/database/modelClient.ts';
import { withTimeLimit } from '../../../src/base/timeout.ts';
import { ownClient } from '../../../src/entries/clients/ownClient.ts';
import { ServiceError } from '../../../src/base/errors.ts';
import { Shares } from '../../../src/admission/shares.ts';

/** Lets all that is ready to begin do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
}

/** Work that never ends, and how often it began. */
function hanging(): { begun: number; run: () => Promise<never> } {
  const work = {
    begun: 0,
    run: () => {
      work.begun += 1;
      return new Promise<never>(() => undefined);
    },
  };
  return work;
}

/** Leaves work that does not end to itself: it is refused long after its test, which concerns no other one. */
function leave(work: Promise<unknown>): void {
  work.catch(() => undefined);
}

const openShares = (connections: number): Shares => new Shares({ connections, maxWait: 60_000, maxReading: 1_000 });

test.each([2, 3, 4, 5, 6, 10, 11, 100])(
  'of %d connections at least one is left to reads while all writes hang, the process’s own included',
  async (connections) => {
    const shares = openShares(connections);
    const work = hanging();
    for (let at = 0; at < 3 * connections; at += 1) {
      leave(shares.of(`caller ${at}`).write(60_000, work.run));
      leave(shares.own(`part ${at}`, work.run));
    }
    await settle();
    expect([connections - 1, connections - 2, Math.ceil(connections / 2) + 2]).toContain(work.begun);
    expect(work.begun).toBeLessThan(connections);
    expect(await shares.of('reader').read(() => Promise.resolve('read'))).toBe('read');
  },
);

test.each([2, 3, 4, 5, 6, 10, 11, 100])(
  'of %d connections a caller whose writes all hang has one for reads',
  async (connections) => {
    const caller = openShares(connections).of('caller');
    const work = hanging();
    for (let at = 0; at < connections; at += 1) leave(caller.write(60_000, work.run));
    await settle();
    expect(work.begun).toBeGreaterThan(0);
    expect(await caller.read(() => Promise.resolve('read'))).toBe('read');
  },
);

test('a write that is not confirmed in time is refused with an unknown outcome, and keeps its slot until it is', async () => {
  const shares = openShares(2);
  const confirmed: (() => void)[] = [];
  const run = (): Promise<void> => new Promise((resolve) => confirmed.push(resolve));
  const refused = await shares
    .of('a')
    .write(1, run)
    .catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(ServiceError);
  expect((refused as ServiceError).message).toContain('it may be stored now or later');
  const next = hanging();
  leave(shares.of('b').write(60_000, next.run));
  await settle();
  expect(next.begun).toBe(0);
  confirmed.forEach((confirm) => confirm());
  await settle();
  expect(next.begun).toBe(1);
});

test('a time limit that is set again during the work replaces the earlier one', async () => {
  const refuse = (): Error => new Error('late');
  const forever = new Promise<never>(() => undefined);
  const shortened = withTimeLimit(60_000, (limit) => (limit(1), forever), refuse);
  await expect(shortened).rejects.toThrow('late');
  const extended = withTimeLimit(
    1,
    async (limit) => {
      limit(60_000);
      await new Promise((resolve) => setTimeout(resolve, 50));
      return 'done';
    },
    refuse,
  );
  expect(await extended).toBe('done');
});

test('the process’s own writes wait for a slot, and its reads do not', async () => {
  const sent: string[] = [];
  const send = (name: string) => (): Promise<string[]> => {
    sent.push(name);
    return Promise.resolve([]);
  };
  const model = { findMany: send('findMany'), updateMany: send('updateMany') };
  const names = ['$executeRaw', '$queryRaw', '$transaction'];
  const raw = Object.fromEntries(names.map((name) => [name, send(name)]));
  const prisma = { token: model, ...raw } as unknown as DatabaseClient;
  const statements = { read: send('read'), readPrepared: send('readPrepared'), write: send('write') } as never;
  const turns: (() => void)[] = [];
  const own = ownClient({ runner: new PlainRunner(prisma), statements }, async (run) => {
    await new Promise<void>((resolve) => turns.push(resolve));
    return run();
  });
  const writing = [
    own.token.updateMany({ data: {} }),
    own.$executeRaw`UPDATE t`,
    own.$queryRaw`SELECT f()`,
    own.$transaction(() => Promise.resolve()),
    own.entry.assignPositions('blog'),
  ];
  await own.token.findMany();
  await settle();
  // assignPositions looks first whether there is anything to place.
  expect(sent).toEqual(['readPrepared', 'findMany']);
  for (const turn of turns) turn();
  await Promise.allSettled(writing);
  expect(sent.slice(2)).toEqual(['updateMany', '$executeRaw', '$queryRaw', '$transaction', 'write']);
});

test('work that throws before it returns a promise releases its slot', async () => {
  const shares = openShares(2);
  const run = (): Promise<never> => {
    throw new Error('at once');
  };
  for (let times = 0; times < 20; times += 1) {
    await expect(shares.own('part', run)).rejects.toThrow('at once');
    await expect(shares.of('caller').write(60_000, run)).rejects.toThrow('at once');
  }
  expect(shares.readQueues()).toMatchObject({ writes: { held: 0 }, statements: { held: 0 }, own: { held: 0 } });
});

test('a body with few values waits for no other, whatever others hold', async () => {
  const shares = openShares(10);
  const entered: string[] = [];
  const enter = (caller: string, values: number): void => {
    const entering = Promise.resolve(shares.of(caller).enterValues(values));
    leave(entering.then(() => entered.push(`${caller}: ${values}`)));
  };
  for (const caller of ['a', 'b', 'c', 'd']) enter(caller, 100_000);
  enter('e', 100);
  enter('f', 99);
  await settle();
  expect(entered.sort()).toEqual(['a: 100000', 'b: 100000', 'c: 100000', 'd: 100000', 'f: 99']);
});

test('while statements and requests of a site hang, sites on other servers have all their slots', async () => {
  const serverOf = (site: string): Promise<string> => Promise.resolve(site.slice(0, 1));
  const shares = new Shares({ connections: 10, maxWait: 60_000, maxReading: 1_000, serverOf });
  const work = hanging();
  for (let at = 0; at < 100; at += 1) {
    const caller = shares.of(`caller ${at}`, `a${at}`);
    leave(Promise.resolve(caller.enterWork(2_450)));
    leave(caller.read(work.run));
    leave(caller.write(60_000, work.run));
    leave(shares.own(`part ${at}`, work.run, `a${at}`));
  }
  await settle();
  expect(work.begun).toBe(10);
  const other = shares.of('caller 1', 'b');
  (await other.enterWork(2_450))();
  expect(await other.read(() => Promise.resolve('read'))).toBe('read');
  expect(await other.write(60_000, () => Promise.resolve('written'))).toBe('written');
  expect(await shares.own('part 1', () => Promise.resolve('done'), 'b')).toBe('done');
  const { held } = shares.readQueues()['statements'] ?? {};
  expect(held).toBe(8);
});
