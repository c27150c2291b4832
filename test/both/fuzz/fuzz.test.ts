// Mutated requests of both doors, for some seconds: no 5xx, nothing told that the caller may not know, no hang, memory
// bounded, and nothing changed that nobody may change. `npm run fuzz -- --seconds 600 --seed 7` runs it for longer;
// `--replay <file>` sends the request that a failure printed.
import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { databaseKind } from '../../support/db.ts';
import { seedOf } from '../../support/seed.ts';
import type { Wire } from './request.ts';
import { fuzz, replay, summary } from './run.ts';
import { maxBlockMilliseconds } from './watch.ts';
import { suiteApp } from '../../support/scene.ts';

const { FUZZ_SECONDS, FUZZ_SEED, FUZZ_REPLAY } = process.env;
const seconds = Number(FUZZ_SECONDS ?? (databaseKind === 'postgresql' ? 30 : 10));
const seed = seedOf(FUZZ_SEED);
/** On one database as in production, on the other as in development. */
const production = databaseKind === 'postgresql';

/** Requests in a second, at the very least: a run that sends less does not do its work. */
const floor = 5;
/** How much memory a run may come to keep, in megabytes. */
const growth = { heap: 150, resident: 500 };

const app = await suiteApp({ RATE_LIMIT: 'off', NODE_ENV: production ? 'production' : 'development' });

if (FUZZ_REPLAY === undefined) {
  test(
    'mutated requests get documented answers, and reveal nothing',
    async () => {
      process.stdout.write(`fuzz: seed ${seed}\n`);
      const report = await fuzz(app, { seconds, seed, production });
      process.stdout.write(`${summary(report, { seconds, seed, production })}\n`);
      if (report.failures.length > 0)
        throw new Error(`seed ${seed}\n\n${report.failures.map((failure) => failure.slice(0, 4_000)).join('\n\n')}`);
      expect(report.sent).toBeGreaterThan(floor * seconds);
      // Real requests, not only broken ones: all of these come up in each run.
      expect(Object.keys(report.answers)).toEqual(
        expect.arrayContaining([
          'rest 200',
          'rest 201',
          'rest 400',
          'rest 401',
          'rest 404',
          'graphql 200',
          'graphql 400',
        ]),
      );
      expect(report.longestBlock).toBeLessThan(maxBlockMilliseconds);
      const [first, last] = report.memory;
      expect(last.heap - first.heap).toBeLessThan(growth.heap);
      expect(last.resident - first.resident).toBeLessThan(growth.resident);
    },
    seconds * 1000 + 180_000,
  );
} else {
  test('the request of FUZZ_REPLAY gets a documented answer', async () => {
    const text = readFileSync(FUZZ_REPLAY, 'utf8').replace(/^replay: /, '');
    expect(await replay(app, JSON.parse(text) as Wire, production)).toEqual([]);
  });
}
