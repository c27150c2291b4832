// The trap of the stock adapter for PGlite: shown, so that we learn when it is mended, and shown not to be ours.
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { PGlite } from '@electric-sql/pglite';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { safePGlite, listMigrations, noFilters, openEngine } from '../support/schema-engine.ts';
import { migrationsFolder, removeScratch } from '../support/scratch.ts';

let pglite: PGlite;

beforeEach(async () => {
  const snapshot = readFileSync(process.env['TEST_EMPTY_SNAPSHOT'] ?? '');
  pglite = await PGlite.create({ loadDataDir: new Blob([snapshot]) });
});

afterEach(async () => {
  await pglite.close();
  removeScratch();
});

/** `pglite`, with the rejections of scripts marked as handled: the stock adapter drops them, which would end the process. */
function forgiving(): PGlite {
  return new Proxy(pglite, {
    get(target, name) {
      if (name === 'exec') {
        return (script: string) => {
          const running = target.exec(script);
          running.catch(() => undefined);
          return running;
        };
      }
      const member: unknown = Reflect.get(target, name, target);
      return typeof member === 'function' ? (member as () => unknown).bind(target) : member;
    },
  });
}

test('trap: the stock adapter does not wait for a script, so that one that fails counts as applied', async () => {
  const folder = migrationsFolder({ '1_broken': 'SELECT * FROM "nowhere";' });
  const engine = await openEngine(new PrismaPGlite(forgiving()));
  const migrationsList = listMigrations(folder);
  expect(await engine.applyMigrations({ migrationsList, filters: noFilters })).toEqual({
    appliedMigrationNames: ['1_broken'],
  });
  const { rows } = await pglite.query('SELECT "finished_at" IS NOT NULL AS "finished" FROM "_prisma_migrations"');
  expect(rows).toEqual([{ finished: true }]);
});

test('ours waits, and a script that fails is told', async () => {
  const adapter = await safePGlite(pglite).connect();
  await adapter.executeScript('CREATE TABLE "a" (); SELECT pg_sleep(0.1); INSERT INTO "a" DEFAULT VALUES;');
  expect((await pglite.query('SELECT FROM "a"')).rows).toHaveLength(1);
  await expect(adapter.executeScript('SELECT * FROM "nowhere"')).rejects.toMatchObject({
    cause: { kind: 'postgres', code: '42P01' },
  });
});
