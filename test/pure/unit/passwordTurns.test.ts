// The turns in which passwords are computed: two at a time, and half of the places to wait for browsers that were in before.
import { expect, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import { PasswordTurns } from '../../../src/features/signIn/passwordTurns.ts';

/** Work that ends when it is told to, in the order in which it began. */
class Work {
  readonly begun: string[] = [];
  readonly #ends: (() => void)[] = [];

  readonly run = (name: string) => (): Promise<string> => {
    this.begun.push(name);
    return new Promise((resolve) => this.#ends.push(() => resolve(name)));
  };

  async endOne(): Promise<void> {
    this.#ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const isBusy = (error: unknown): boolean => error instanceof ServiceError && error.code === 'unavailable';

test('two run at a time, 16 strangers and 16 known browsers wait, and more are refused', async () => {
  const [turns, work] = [new PasswordTurns(), new Work()];
  const start = (isKnown: boolean, count: number): Promise<unknown>[] =>
    Array.from({ length: count }, (_each, at) =>
      turns.run(isKnown, work.run(`${isKnown ? 'known' : 'other'} ${at}`)).catch((error: unknown) => error),
    );
  const others = start(false, 19);
  const known = start(true, 17);
  expect(isBusy(await others.at(-1))).toBe(true);
  expect(isBusy(await known.at(-1))).toBe(true);
  expect(work.begun).toEqual(['other 0', 'other 1']);
  // Who was in before goes first.
  await work.endOne();
  expect(work.begun.at(-1)).toBe('known 0');
  for (let ended = 0; ended < 40; ended += 1) await work.endOne();
  expect(work.begun.length).toBe(2 + 16 + 16);
  const after = turns.run(false, work.run('after'));
  // It begins in a later turn of the event loop's queue.
  await work.endOne();
  await work.endOne();
  expect(await after).toBe('after');
});

test('work that fails gives its turn back', async () => {
  const turns = new PasswordTurns();
  const failing = (): Promise<never> => Promise.reject(new Error('it failed'));
  for (let time = 0; time < 5; time += 1) await expect(turns.run(false, failing)).rejects.toThrow('it failed');
  expect(await turns.run(false, () => Promise.resolve('done'))).toBe('done');
});
