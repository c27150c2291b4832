// `entryway migrate`, and what other commands do on a database that is not up to date.
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createMigrationsTable } from '../../../src/database/migrations/migrationStatus.ts';
import { databaseKind } from '../../support/db.ts';
import { newWorkplace, type Workplace } from '../../support/workplace.ts';

const init = '20261121000000_init';
let place: Workplace;

beforeEach(async () => {
  place = await newWorkplace();
});
afterEach(() => place.remove());

type Statuses = readonly { readonly name: string; readonly state: string; readonly logs?: string }[];

async function states(): Promise<Set<string>> {
  return new Set((await place.json<Statuses>('migrate status')).map(({ state }) => state));
}

/** Puts a row about a migration into the table of a database. */
async function record(name: string, columns: Record<string, string>): Promise<void> {
  await place.inside((database) =>
    database.session(async ({ exec, query }) => {
      await exec(createMigrationsTable);
      const names = ['id', 'checksum', 'migration_name', ...Object.keys(columns)];
      const values = ['x', 'x', name, ...Object.values(columns)];
      await query(
        `INSERT INTO "_prisma_migrations" (${names.join()}) VALUES (${values.map((_, i) => `$${i + 1}`).join()})`,
        values,
      );
    }),
  );
}

describe('done', () => {
  test('`entryway migrate` applies pending migrations, once, and reports the state of the database', async () => {
    expect(await states()).toEqual(new Set(['pending']));
    const { code, stdout, stderr } = await place.run('migrate');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^Applied: ${init}`));
    expect(await place.json('migrate')).toEqual({ applied: [] });
    expect(await states()).toEqual(new Set(['applied']));
    expect((await place.run('migrate status')).stdout).toMatch(new RegExp(`^MIGRATION +STATE\\n${init} +applied\\n`));
  });

  test('`entryway migrate --retry-failed` retries a failed migration', async () => {
    await record(init, { logs: 'no space left on device' });
    expect(await states()).toContain('failed');
    expect(await place.refusal('migrate')).toMatch(/no space left on device.*migrate --retry-failed/);
    expect((await place.json<{ applied: string[] }>('migrate --retry-failed')).applied).toContain(init);
    expect(await states()).toEqual(new Set(['applied']));
  });
});

describe('other commands', () => {
  if (databaseKind === 'embedded') {
    test('other commands create a missing embedded database', async () => {
      expect(await place.json('site create blog')).toMatchObject({ id: 'blog' });
      expect(await states()).toEqual(new Set(['applied']));
    });
  } else {
    test('other commands are refused on an empty server, until it is migrated', async () => {
      for (const line of [
        'site create blog',
        'site list',
        'user list',
        'token list',
        'token create --kind master --site blog',
      ]) {
        expect(await place.refusal(line)).toMatch(
          /nothing of Entryway yet in the PostgreSQL database entryway_test_\w+ at .*Run "npx entryway migrate"/,
        );
      }
      expect(await states()).toEqual(new Set(['pending']));
      await place.json('migrate');
      expect(await place.json('site create blog')).toMatchObject({ id: 'blog' });
    });
  }

  test('commands are refused on a database that a later version migrated, and so are migrate and serve', async () => {
    await place.json('migrate');
    await record('29991231000000_later', { finished_at: '2026-11-21T00:00:00Z' });
    expect(await place.refusal('site list')).toMatch(/29991231000000_later \(missing\)/);
    expect(await place.refusal('migrate')).toMatch(/29991231000000_later.*Start the version that applied them/);
    expect(await place.refusal('serve')).toMatch(/Start the version that applied them/);
  });
});
