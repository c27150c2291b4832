// Statements of the embedded database run in the service's own thread: between two of them others are heard.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { testDatabase } from '../support/db.ts';

test('statements that wait for each other leave turns of the event loop to others', async () => {
  const database = await testDatabase();
  const state = { isOver: false, turns: 0 };
  const counting = (async (): Promise<void> => {
    for (; !state.isOver; state.turns += 1) await nextTurn();
  })();
  const turns: number[] = [];
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      await database.prisma.$queryRawUnsafe('SELECT count(*) FROM generate_series(1, 300000) -- test: takes long');
      turns.push(state.turns);
    }),
  );
  state.isOver = true;
  await counting;
  expect(new Set(turns).size).toBe(10);
  await database.close();
});
