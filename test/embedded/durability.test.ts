// What the embedded database keeps when its process is killed: every write that was acknowledged.
import { afterEach, expect, test } from '@jest/globals';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openEmbedded } from '../../src/database/embedded.ts';
import { migrate } from '../../src/database/migrate.ts';
import { killChildren, startChild } from '../support/children.ts';
import { removeScratch, scratchDirectory } from '../support/scratch.ts';

afterEach(async () => {
  await killChildren();
  removeScratch();
});

/** Ids are p<process>-<round>-<0 to 2>; the three of an odd round are written in one transaction. */
function inTransaction(id: string): boolean {
  return Number(id.split('-')[1]) % 2 === 1;
}

function partners(id: string): string[] {
  return [0, 1, 2].map((each) => id.replace(/-\d$/, `-${each}`));
}

test('a process that is killed while it writes loses no acknowledged write, and the next opens without help', async () => {
  const directory = scratchDirectory();
  const acknowledged: string[] = [];
  for (let round = 0; round < 3; round += 1) {
    const child = startChild(directory, 'write');
    expect(await child.started).toBe('open');
    const least = randomInt(3, 60);
    await child.printed(least);
    await sleep(randomInt(0, 20));
    await child.kill();
    const [, ...writes] = child.lines as string[][];
    expect(writes.length).toBeGreaterThanOrEqual(least);
    acknowledged.push(...writes.flat());
  }

  const database = await openEmbedded({ dataDir: directory });
  const stored = new Set((await database.prisma.site.findMany({ select: { id: true } })).map(({ id }) => id));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  // Transactions are there as a whole or not at all.
  const torn = [...stored].filter((id) => inTransaction(id) && !partners(id).every((partner) => stored.has(partner)));
  expect(torn).toEqual([]);
  expect(await migrate(database)).toEqual([]);
  await database.close();
}, 120_000);

test('a process that is killed on its first start leaves nothing in the way of the next', async () => {
  const directory = scratchDirectory();
  const draft = join(directory, 'pgdata.new');
  const child = startChild(directory, 'hold');
  while (!existsSync(join(draft, 'base'))) await sleep(1);
  await child.kill();
  expect(child.lines).toEqual([]);
  expect(existsSync(join(directory, 'pgdata'))).toBe(false);

  const database = await openEmbedded({ dataDir: directory });
  await migrate(database);
  expect(await database.prisma.site.count()).toBe(0);
  expect(existsSync(draft)).toBe(false);
  await database.close();
}, 60_000);
