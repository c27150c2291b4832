// Merge patches as RFC 7396 defines them.
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyMergePatch } from '../../../src/inputs/mergePatch.ts';

// The cases of RFC 7396, appendix A.
const cases: [target: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

test.each(cases)('merge patch: %s with %s: %s', (target, patch, result) => {
  expect(JSON.stringify(applyMergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
});

test('a merge patch treats a member named __proto__ like any other', () => {
  const merged = applyMergePatch({}, JSON.parse('{"__proto__":{"a":1}}'));
  expect(JSON.stringify(merged)).toBe('{"__proto__":{"a":1}}');
  expect((merged as { a?: unknown }).a).toBeUndefined();
});

/** MergePatch in the words of RFC 7396 §2, which change the target. */
function mergeByRfc(target: unknown, patch: unknown): unknown {
  if (patch === null || typeof patch !== 'object' || Array.isArray(patch)) return patch;
  const isObject = target !== null && typeof target === 'object' && !Array.isArray(target);
  const result = (isObject ? structuredClone(target) : {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(result, name);
    else result[name] = mergeByRfc(result[name], value);
  }
  return result;
}

test('random merge patches give the results of the RFC’s pseudocode, and leave their target unchanged', () => {
  const key = fc.constantFrom('a', 'b', 'c', '1');
  const { json } = fc.letrec((tie) => ({
    json: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, 1, 'x', true),
      fc.array(tie('json'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(key, tie('json'), { maxKeys: 4, noNullPrototype: true }),
  }));
  fc.assert(
    fc.property(json, json, (target, patch) => {
      const before = structuredClone(target);
      expect(applyMergePatch(target, patch)).toEqual(mergeByRfc(target, patch));
      expect(target).toEqual(before);
    }),
  );
});
