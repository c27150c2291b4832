// The SQL of filters: how often it reads the values of an entry (docs/contract.md §5.15).
import { expect, test } from '@jest/globals';
import type { FieldTest } from '../../../src/entries/condition.ts';
import type { EntryMatch } from '../../../src/entries/sql/expressions.ts';
import { filterSql } from '../../../src/entries/sql/filterSql.ts';
import type { Channel } from '../../../src/generated/prisma/client.ts';

const channel = { uid: 'c', siteId: 's', fields: [], fieldsVersion: 1, derivedVersion: 1 } as unknown as Channel;
const match = { channel, maxMilliseconds: null } as EntryMatch;
const copies = (sql: string): number => sql.split(/jsonb_set|e\.data/).length - 1;

test.each([
  ['text', (at: number) => `v${at}`],
  ['number', (at: number) => at],
  ['list', (at: number) => `v${at}`],
  ['any', (at: number) => `v${at}`],
] as const)('1,000 values of a %s field are compared with one copy of the entry', (kind, valueOf) => {
  const field = { name: 'f', member: null, kind, options: null, isNormalized: false, isIndexed: false } as const;
  const values = Array.from({ length: 1_000 }, (_, at) => [valueOf(at)]);
  const of = (wanted: FieldTest['values']) => filterSql({ field, op: 'eq', values: wanted }, match, null);
  expect(copies(of(values).sql)).toBe(copies(of(values.slice(0, 2)).sql));
  expect(of(values).values).toHaveLength(of(values.slice(0, 2)).values.length);
});

test('objects in a list of JSON values are compared one by one', () => {
  const field = { name: 'f', member: null, kind: 'any', options: null, isNormalized: false, isIndexed: false } as const;
  const { sql } = filterSql({ field, op: 'eq', values: [['a'], [{ b: 1 }], ['c']] }, match, null);
  expect(sql).toMatch(/@> ANY\(.*\) OR .* = .*::jsonb/s);
});

test('many values of a single-value field are also compared by a hash of them', () => {
  const base = { name: 'f', member: null, options: null, isNormalized: false, isIndexed: false };
  const sqlOf = (kind: 'text' | 'number' | 'list' | 'any'): string =>
    filterSql({ field: { ...base, kind }, op: 'eq', values: [['a'], ['b']] }, match, null).sql;
  for (const kind of ['text', 'number'] as const)
    expect(sqlOf(kind)).toMatch(/e\.data -> .* = ANY\(.*\) AND .*@> ANY\(/s);
  for (const kind of ['list', 'any'] as const) expect(sqlOf(kind)).not.toMatch(/ = ANY\(/);
});

test('1,000 items that a list has to contain are compared with one copy of the entry', () => {
  const field = {
    name: 'f',
    member: null,
    kind: 'list',
    options: null,
    isNormalized: false,
    isIndexed: false,
  } as const;
  const values = Array.from({ length: 1_000 }, (_, at) => [`v${at}`]);
  const of = (wanted: FieldTest['values']) => filterSql({ field, op: 'all', values: wanted }, match, null).sql;
  expect(of(values)).toBe(of(values.slice(0, 1)));
  // Both jsonb_set and e.data stand in a comparison.
  expect(copies(of([['1', 1], ['a'], ['b']]))).toBe(copies(of([['a']])) + 4);
});
