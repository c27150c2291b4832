// What both the code and functions of the database know is the same in both.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { keyLength, textKey } from '../../../src/fields/stored.ts';
import { channelLexeme } from '../../../src/search/searchSql.ts';
import { testDatabase } from '../../support/db.ts';

let database: PlainDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test.each([1, keyLength, keyLength + 1])(
  'PostgreSQL and the service make the same key of a text of %s characters',
  async (length) => {
    const [row] = await database.prisma.$queryRaw<{ key: string }[]>`
    SELECT entryway_index_key(${JSON.stringify('a'.repeat(length))}::jsonb, NULL) AS key`;
    expect(row?.key).toBe(textKey + 'a'.repeat(Math.min(length, keyLength)));
  },
);

test('PostgreSQL and the service make the same word that marks a channel’s entries', async () => {
  const uid = '0192f0c1-2d3e-7f40-8a5b-6c7d8e9f0a1b';
  const [row] = await database.prisma.$queryRaw<{ words: string[] }[]>`
    SELECT tsvector_to_array(entryway_search_vector(${uid}::uuid, 'simple', '', '', '')) AS words`;
  expect(row?.words).toEqual([channelLexeme(uid)]);
});
