// Ranks of searches: their time is not quadratic in how often an entry has the words (docs/search.md).
import { expect, test } from '@jest/globals';
import { searchRank } from '../../../src/search/searchSql.ts';

const channel = { uid: 'c', language: 'english', fieldsVersion: 1, derivedVersion: 1 };

/** How many of the two ranks are of an OR. */
const countOrs = (text: string): number => searchRank(channel, text).sql.split('||').length - 1;

test.each([
  ['a word', 'jurassic', 0],
  ['four whole words', 'the "jurassic" dinosaur "park"', 0],
  ['words of which the last one is a beginning', 'jurassic par', 1],
  ['five words', 'one two three four "five"', 2],
  ['five words of a phrase', '"one two three four five"', 2],
  ['five words beside an alternative', 'one or "two three four five"', 2],
])('the rank of %s regards the distance of words only if they are few', (_what, text, count) => {
  expect(countOrs(text)).toBe(count);
});
