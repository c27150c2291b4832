// The names by which commands report the database that they work on.
import { resolve } from 'node:path';
import { expect, test } from '@jest/globals';
import { databaseWords, nameDatabase } from '../../../src/cli/databaseName.ts';

test.each([
  ['postgresql://ada:secret@db.example.com:5433/cms', 'cms at db.example.com:5433'],
  ['postgresql://ada:secret@[::1]/cms?sslmode=require', 'cms at [::1]'],
  ['postgresql://ada:secret@a:5432,b:5433/cms', 'cms at a:5432, b:5433'],
  ['postgresql:///cms?host=/run/postgresql', 'cms at /run/postgresql'],
  ['postgresql://ada:secret@db', 'ada at db'],
  ['postgresql:///cms', 'cms at the default host'],
])('the database %s is named without its password', (databaseUrl, words) => {
  const name = nameDatabase({ databaseUrl, dataDir: './data' });
  expect(databaseWords(name)).toBe(`the PostgreSQL database ${words}`);
  expect(JSON.stringify(name)).not.toContain('secret');
});

test('the embedded database is named by its absolute path', () => {
  const name = nameDatabase({ databaseUrl: undefined, dataDir: './data' });
  expect(name).toEqual({ kind: 'embedded', directory: resolve('data') });
  expect(databaseWords(name)).toBe(`the embedded database at ${resolve('data')}`);
});
