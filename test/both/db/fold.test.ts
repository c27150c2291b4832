// From PostgreSQL 17 on texts are folded by the database's own lower(), because the service's table takes long. Both give the same.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { testDatabase } from '../../support/db.ts';

let database: PlainDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

/** No code point from here on has a case. */
const end = 0x1f000;

test.each([
  ['alone', 'chr(point)'],
  ['within a word, where a sigma could be a final one', "'ΑΣ' || chr(point) || 'Σ İ' || chr(point) || 'Σ'"],
])('each character is folded as in the table: %s', async (_where, text) => {
  const different = await database.prisma.$queryRawUnsafe(`
    SELECT to_hex(point) AS point FROM generate_series(128, ${end}) AS point
    WHERE point NOT BETWEEN 55296 AND 57343 AND entryway_fold(${text}) COLLATE "C" <> entryway_fold_unicode(${text}) COLLATE "C"`);
  expect(different).toEqual([]);
});

test('a text of all characters is folded as in the table', async () => {
  const [row] = await database.prisma.$queryRawUnsafe<{ isEqual: boolean }[]>(`
    SELECT entryway_fold(text || text) COLLATE "C" = entryway_fold_unicode(text || text) COLLATE "C" AS "isEqual"
    FROM (SELECT string_agg(chr(point), '' ORDER BY point * 7919 % 10007, point) AS text FROM generate_series(1, ${end}) AS point
      WHERE point NOT BETWEEN 55296 AND 57343) AS each`);
  expect(row).toEqual({ isEqual: true });
});

test('a text is folded without a search_path, as when a dump is restored', async () => {
  const { prisma } = database;
  const [, folded] = await prisma.$transaction([
    prisma.$queryRaw`SELECT set_config('search_path', '', true)`,
    prisma.$queryRaw`SELECT public.entryway_fold('ÄB') AS folded`,
  ]);
  expect(folded).toEqual([{ folded: 'äb' }]);
});
