// The nearest known name of a mistyped one: the edits that count as near, and the cost of a long text.
import { expect, test } from '@jest/globals';
import { didYouMean, nearestName } from '../../../src/base/nearestName.ts';
import { cpuSecondsOf } from '../../support/cpuTime.ts';

const known = ['sort', 'page', 'per_page', 'cursor', 'created_at', '_status', 'author', 'title', 'q', 'eq', 'ne', 'gt'];

test.each([
  ['one edit', 'sorrt', 'sort'],
  ['a letter that is missing', 'autor', 'author'],
  ['two edits', 'creatd_t', 'created_at'],
  ['neighbours that changed places, in a short name', 'srot', 'sort'],
  ['neighbours at the end', 'titel', 'title'],
  ['letter case alone', 'SORT', 'sort'],
  ['letter case alone, in one letter', 'Q', 'q'],
  ['the spelling of the other door', 'createdAt', 'created_at'],
  ['an underscore that was left out', 'status', '_status'],
  ['one edit of three letters', 'eqq', 'eq'],
])('the nearest name is suggested: %s', (_what, given, expected) => {
  expect(nearestName(given, known)).toBe(expected);
});

test.each([
  ['nothing', ''],
  ['another name', 'genre'],
  ['two edits of four letters', 'soap'],
  ['one edit of two letters', 'ge'],
  ['three edits of ten letters', 'crated_ta_'],
  ['two letters that changed places far from each other', 'torts'],
  ['only the beginning', 'create'],
  ['a known name itself', 'sort'],
])('no name is suggested: %s', (_what, given) => {
  expect(nearestName(given, known)).toBeNull();
});

test('the nearest name is suggested, and of equally near ones the first', () => {
  expect(nearestName('titles', ['tidies', 'title'])).toBe('title');
  expect(nearestName('fiel', ['file', 'fiels', 'field'])).toBe('file');
  expect(nearestName('anything', [])).toBeNull();
});

test('half a surrogate pair, and names that every object inherits, are names like others', () => {
  expect(nearestName('constructr', ['constructor'])).toBe('constructor');
  expect(nearestName('\ud83d', ['\ud83d\ude00'])).toBeNull();
});

test('a name of more than 100 characters is compared with nothing', async () => {
  const long = 'x'.repeat(100);
  expect(nearestName(long, [`${long}y`])).toBe(`${long}y`);
  expect(nearestName(`${long}y`, [long])).toBeNull();
  const text = 'x'.repeat(10_000_000);
  const names = Array<string>(1_000).fill(long);
  expect(await cpuSecondsOf(() => nearestName(text, names))).toBeLessThan(1);
});

test('a message ends with a suggestion, or with its fallback', () => {
  expect(`"sorrt" is not a parameter here${didYouMean('sort')}`).toBe(
    '"sorrt" is not a parameter here; did you mean "sort"?',
  );
  expect(didYouMean(null)).toBe('.');
  expect(didYouMean(null, ', which may have a.')).toBe(', which may have a.');
});
