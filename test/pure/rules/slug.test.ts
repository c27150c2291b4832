// The names of an entry (docs/contract.md §1, §5), as tables.
import { describe, expect, test } from '@jest/globals';
import { entryKey, isSlug, randomSlug, slugCandidates } from '../../../src/rules/names.ts';
import { cpuSecondsOf } from '../../support/cpuTime.ts';

const long = 'x'.repeat(250);

test.each([
  ['Hello World', 'hello-world'],
  ['  Ünïcödé — ß ', 'unicode-ss'],
  ['Köln & Çeşme', 'koln-cesme'],
  ['ﬁne', 'fine'],
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Đà Nẵng', 'da-nang'],
  ['Øresund, Ærø og Þórsmörk', 'oresund-aero-og-thorsmork'],
  ['Œuvres ıŋħ', 'oeuvres-ingh'],
  ['Война и мир', 'voyna-i-mir'],
  ['日本', 'riben'],
  ['がく'.normalize('NFD'), 'gaku'],
  ['한국'.normalize('NFD'), 'hangug'],
  ['हिन्दी', 'hindi'],
  ['\u{e000}\u{10ffff} — \u0301', 'entry'],
  ['', 'entry'],
  [null, 'entry'],
  ['--a--b--', 'a-b'],
  [long, 'x'.repeat(200)],
  [`${'x'.repeat(199)} y`, 'x'.repeat(199)],
  ['Count', 'count-2'],
  ['bulk', 'bulk-2'],
  ['0198b2c2-7a7a-7000-8000-000000000001', '0198b2c2-7a7a-7000-8000-000000000001-2'],
])('the title %j makes the slug %j', (title, slug) => {
  expect(slugCandidates(title)[0]).toBe(slug);
});

test('a taken slug is followed by -2 to -9, all within 200 characters', () => {
  expect(slugCandidates('A')).toEqual(['a', 'a-2', 'a-3', 'a-4', 'a-5', 'a-6', 'a-7', 'a-8', 'a-9']);
  expect(slugCandidates(long).every((slug) => slug.length <= 200 && isSlug(slug))).toBe(true);
  expect(new Set(slugCandidates(long)).size).toBe(9);
});

test('a title of a mebibyte of marks makes a slug at once, from its beginning', async () => {
  const marked = (count: number): string => `a${'\u0301\u0323'.repeat(count)}b`;
  expect(await cpuSecondsOf(() => expect(slugCandidates(marked(1 << 18))[0]).toBe('a'))).toBeLessThan(5);
  expect(slugCandidates(marked(1_000))[0]).toBe('ab');
});

test('a slug with a random suffix is a valid slug', () => {
  expect(randomSlug('A b', 'k3j')).toBe('a-b-k3j');
  expect(isSlug(randomSlug(long, 'abcdefghij'))).toBe(true);
});

describe('the meaning of {entry_id}', () => {
  test.each([
    ['0198B2C2-7a7a-7000-8000-000000000001', { by: 'id', value: '0198b2c2-7a7a-7000-8000-000000000001' }],
    ['Abcdefghi1', { by: 'shortId', value: 'Abcdefghi1' }],
    ['abcdefghi1', { by: 'slug', value: 'abcdefghi1' }],
    ['a-b', { by: 'slug', value: 'a-b' }],
    ['count', null],
    ['bulk', null],
    ['a--b', null],
    ['-a', null],
    ['Abc', null],
    ['a_b', null],
    ['', null],
    ["a' OR 1=1", null],
    ['x'.repeat(201), null],
  ])('{entry_id} %j is parsed as %j', (name, key) => {
    expect(entryKey(name)).toEqual(key);
  });
});
