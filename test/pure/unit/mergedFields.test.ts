// Whether the fields of a document can be merged is decided as by graphql-js, on random documents, and in time that their size bounds.
import { describe, expect, test } from '@jest/globals';
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, validate } from 'graphql';
import { mergedFieldsRule } from '../../../src/graphql/executor/mergedFields.ts';
import { errorReporting } from '../../../src/graphql/errors.ts';
import { readDocument } from '../../../src/graphql/validate.ts';
import { seeded, type Random } from '../../support/random.ts';

const members = `
  a(x: Int, y: [Int], o: In): String
  b: String!
  c: [String]
  node: Node
  one: One
  other: Two!
  list: [One]
  any: Any`;
const schema = buildSchema(`
  type Query {${members}}
  interface Node { a(x: Int, y: [Int], o: In): String node: Node same: String }
  type One implements Node {${members} same: String differs: Int}
  type Two implements Node {${members} same: String differs: String}
  type Three implements Node {${members} same: String differs: [Int!]}
  union Any = One | Two | Three
  input In { p: Int q: Int }`);

/** A document: names and aliases are few, so that its fields meet. Where it is tame they often fit each other. */
function makeDocument(random: Random): string {
  const isTame = random.chance(0.6);
  const calls = ['', '(x: 1)', '(x: 2)', '(x: 1, y: [1])', '(y: [1], x: 1)', '(o: {p: 1, q: 2})', '(o: {q: 2, p: 1})'];
  const call = random.pick(calls);
  const field = (depth: number): string => {
    const alias = random.chance(isTame ? 0.02 : 0.3) ? `${random.pick(['a', 'b', 'k'])}: ` : '';
    if (depth === 0 || random.chance(0.5)) {
      const name = random.pick(['a', 'a', 'b', 'c', 'same', '__typename', isTame ? 'same' : 'differs']);
      return alias + name + (name === 'a' ? (isTame ? call : random.pick(calls)) : '');
    }
    return `${alias}${random.pick(['node', 'one', 'other', 'list', 'any'])} ${select(depth - 1)}`;
  };
  const select = (depth: number): string => {
    const parts = Array.from({ length: 1 + random.upTo(3) }, () => {
      if (random.chance(0.15)) return `...F${random.upTo(3)}`;
      if (depth === 0 || random.chance(0.75)) return field(depth);
      return `... on ${random.pick(['One', 'Two', 'Three', 'Node', 'Any'])} ${select(depth - 1)}`;
    });
    return `{ ${parts.join(' ')} }`;
  };
  const fragments = Array.from(
    { length: 4 },
    (_, at) => `fragment F${at} on ${random.pick(['One', 'Node', 'Two'])} ${select(2)}`,
  );
  // All are spread, since graphql-js looks into those that nobody spreads, too: another rule refuses them.
  return `query A ${select(3)} query B { node { ...F0 ...F1 ...F2 ...F3 } } ${fragments.join(' ')}`;
}

test('the verdict on random documents is that of graphql-js', () => {
  const verdicts = { merged: 0, conflicting: 0 };
  const differing: string[] = [];
  for (let seed = 1; seed <= 1_500; seed += 1) {
    const text = makeDocument(seeded(seed));
    const document = parse(text);
    const isRefused = validate(schema, document, [mergedFieldsRule]).length > 0;
    if (isRefused !== validate(schema, document, [OverlappingFieldsCanBeMergedRule]).length > 0) differing.push(text);
    verdicts[isRefused ? 'conflicting' : 'merged'] += 1;
  }
  expect(differing).toEqual([]);
  expect(Math.min(verdicts.merged, verdicts.conflicting)).toBeGreaterThan(200);
});

describe('messages of errors', () => {
  test.each([
    ['{ a a: b }', '"a" and "b" are different fields'],
    ['{ one { a(x: 1) } one { a(x: 2) } }', 'they have differing arguments'],
    [
      '{ node { ... on One { d: differs } ... on Two { d: differs } } }',
      'they return conflicting types "Int" and "String"',
    ],
    [
      '{ any { ... on One { d: __typename } ... on Two { d: differs } ... on Three { d: differs } } }',
      'they return conflicting types "String" and "[Int!]"',
    ],
  ])('the error for unmergeable fields, %s: %s', (text, reason) => {
    const [error, ...others] = validate(schema, parse(text), [mergedFieldsRule]);
    expect(error?.message).toContain(`conflict because ${reason}. Use different aliases`);
    expect(error?.locations).toHaveLength(2);
    expect(others).toEqual([]);
  });
});

const times = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join(' ');
const refusals = (text: string): string[] => {
  const read = readDocument(text, schema, { tokens: 5_000 });
  return 'refused' in read ? read.refused.map(({ message }) => message) : [];
};

describe('documents that were quadratic', () => {
  test('one field 480 times, and 350 fragments of two fields, are valid in linear time', () => {
    expect(refusals(`{ ${times(480, () => 'one { a(x: 1) }')} }`)).toEqual([]);
    const fragments = times(350, (at) => `fragment F${at} on Query { a b }`);
    expect(refusals(`{ ${times(350, (at) => `...F${at}`)} } ${fragments}`)).toEqual([]);
  });

  test('100 operations that spread a fragment of 250 fields are refused, with the reason', () => {
    const operations = times(100, (at) => `query Q${at} { ...F }`);
    expect(refusals(`${operations} fragment F on Query { ${times(250, (at) => `k${at}: b`)} }`)).toEqual([
      expect.stringMatching(/^The query is too complex: with its fragments spread it has more than 20000 selections/),
    ]);
  });

  test('20 operations that spread a fragment of 250 fields are valid', () => {
    const operations = times(20, (at) => `query Q${at} { ...F }`);
    expect(refusals(`${operations} fragment F on Query { ${times(250, (at) => `k${at}: b`)} }`)).toEqual([]);
  });
});

test('of too many errors in a document, the last one says that there are more', () => {
  const messages = refusals(`{ ${times(20, (at) => `nothing${at}`)} }`);
  expect(messages).toHaveLength(errorReporting.maxErrors + 1);
  expect(messages.at(-1)).toBe(
    'The document has more errors than the 5 above. Correct these, and the others are told.',
  );
});

test('operations that use many variables in one fragment are refused, with the reason', () => {
  const operations = times(100, (at) => `query Q${at} ($v: Int!) { ...F }`);
  expect(refusals(`${operations} fragment F on Query { a(y: [${times(1_000, () => '$v')}]) }`)).toEqual([
    expect.stringMatching(/^The query is too complex: its operations spread so many fragments/),
  ]);
});
