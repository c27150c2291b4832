// The names and values of an object in JSON are found without parsing it.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { countTopLevelNames, topLevelMembers, topLevelNames } from '../../../src/fields/jsonNames.ts';

/** JSON as PostgreSQL writes it, with blanks behind colons and commas. */
const spaced = (value: unknown): string =>
  JSON.stringify(value, null, 1).replaceAll(/\n\s*/g, (_blanks, at: number, json: string) =>
    json[at - 1] === ',' ? ' ' : '',
  );

const names = fc.stringMatching(/^[a-z][a-z0-9_]{0,20}$/);
const objects = fc.dictionary(names, fc.jsonValue({ depthSize: 'medium' }));

test('the scanner finds the same members as JSON.parse, whatever the spacing and the values', () => {
  fc.assert(
    fc.property(objects, (object) => {
      for (const json of [JSON.stringify(object), spaced(object)]) {
        expect(topLevelNames(json)).toEqual(Object.keys(object));
        expect(countTopLevelNames(json)).toBe(Object.keys(object).length);
        const members = [...topLevelMembers(json)].map(([name, value]) => [name, JSON.parse(value) as unknown]);
        expect(members).toEqual(Object.entries(JSON.parse(json) as object));
      }
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['{}', []],
  ['{"a": "\\\\", "b": "\\"{", "c": {"d": [1, {"e": "}"}]}, "f": null}', ['a', 'b', 'c', 'f']],
  ['{"a": "x\\\\\\\\\\"y", "b": []}', ['a', 'b']],
])('the scanner finds the members of %s', (json, expected) => {
  expect(topLevelNames(json)).toEqual(expected);
  expect(Object.keys(JSON.parse(json) as object)).toEqual(expected);
});
