// The service is killed while it writes, a few times; `npm run torture` does it a hundred times.
import { expect, test } from '@jest/globals';
import { torture } from '../../scripts/torture.mjs';
import { watchedEnvironment } from '../support/watch/index.mjs';

test('5 kills under write load: each acknowledged write is stored once, as it was written', async () => {
  const { kills, acknowledged, ...wrong } = await torture(5, { environment: watchedEnvironment() });
  expect(wrong).toEqual({ lost: [], doubled: [], torn: [] });
  expect(kills).toBe(5);
  // Each is killed after a write at least; how many more there are depends on the machine.
  expect(acknowledged).toBeGreaterThanOrEqual(kills);
});
