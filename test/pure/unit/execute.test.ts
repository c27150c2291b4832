// Operations are executed as graphql-js executes them: random operations, with directives and introspection, over random values,
// of which some fail.
import { expect, test } from '@jest/globals';
import { buildSchema, execute as executeByLibrary, parse, validate, type ExecutionResult } from 'graphql';
import { execute, stringifyResult } from '../../../src/graphql/executor/execute.ts';
import { operationOf } from '../../support/operationOf.ts';
import { seeded, type Random } from '../../support/random.ts';

const members = `
  node: Node
  must: Node!
  nodes: [Node]
  all: [Node!]!
  matrix: [[Int!]]!
  name: String
  count: Int!
  kind: Kind
  any: Any
  when(at: Int! = 3, names: [String!]): String`;
const schema = buildSchema(`
  type Query {${members}}
  type Node {${members}}
  type Mutation {${members}}
  enum Kind { A B }
  scalar Any`);

/** Makes the values of fields: the same for the same object and field, whichever is asked first. */
function source(seed: number, isAsync: boolean, depth = 0): object {
  const value = (name: string, make: (random: Random) => unknown): (() => unknown) => {
    return () => {
      const random = seeded(seed * 31 + [...name].reduce((sum, letter) => sum * 7 + letter.charCodeAt(0), depth));
      const good = (): unknown => make(random);
      const made = faulty(random, good);
      // graphql-js leaves rejections unhandled where an item of a list fails at once and another later: here all fail later.
      const isLate = isAsync && (name !== 'node' || made !== good || random.chance(0.4));
      return isLate ? Promise.resolve().then(() => made()) : made();
    };
  };
  const below = (random: Random): object => source(random.upTo(1e6), isAsync, depth + 1);
  const list = (random: Random, make: () => unknown): unknown[] =>
    Array.from({ length: random.upTo(3) }, () => {
      const item = faulty(random, make, 0.04);
      return isAsync ? Promise.resolve().then(() => item()) : item();
    });
  return {
    node: value('node', below),
    must: value('must', below),
    nodes: value('nodes', (random) => (random.chance(0.05) ? 'no list' : list(random, () => below(random)))),
    all: value('all', (random) => new Set(list(random, () => below(random)))),
    matrix: value('matrix', (random) => list(random, () => list(random, () => random.upTo(9)))),
    name: value('name', (random) => random.pick(['plain', 'quoted "\\\n\u2028', '\ud800', '', 7, true])),
    count: value('count', (random) => random.pick([1, 2, -3, 'x', 1.5])),
    kind: value('kind', (random) => random.pick(['A', 'B', 'B', 'C'])),
    any: value('any', (random) => random.pick([{ a: [1, null] }, 'text', 0, false, [], NaN])),
    when: (args: object) => JSON.stringify(args),
  };
}

/** Sometimes fails, or is null, or an error as a value. */
function faulty(random: Random, make: () => unknown, chance = 0.07): () => unknown {
  if (random.chance(chance)) {
    return () => {
      throw new Error('failed');
    };
  }
  if (random.chance(chance)) return () => random.pick([null, undefined]);
  if (random.chance(chance / 2)) return () => new Error('a value');
  return make;
}

function selections(random: Random, depth: number): string {
  const parts = Array.from({ length: 1 + random.upTo(4) }, () => selection(random, depth));
  return `{ ${parts.join(' ')} }`;
}

/** Sometimes a directive or two, in either order, by a literal or by a variable: of these, some have no value. */
function directives(random: Random): string {
  const one = (name: string): string =>
    `@${name}(if: ${random.pick(['true', 'false', '$on', '$off', '$on', '$off', '$maybe'])})`;
  if (!random.chance(0.15)) return '';
  const [include, skip] = [one('include'), one('skip')];
  return ` ${random.pick([include, include, skip, skip, `${include} ${skip}`, `${skip} ${include}`])}`;
}

function selection(random: Random, depth: number): string {
  const alias = (): string => (random.chance(0.3) ? `${random.pick(['x', 'y'])}${random.upTo(50)}: ` : '');
  const leaf = (): string =>
    random.pick(['name', 'count', 'kind', 'any', 'matrix', '__typename', 'when(at: $at)', 'when']);
  if (depth === 0 || random.chance(0.4)) {
    const name = leaf();
    return name === 'when' ? `when(at: $at)${directives(random)}` : `${alias()}${name}${directives(random)}`;
  }
  const name = `${alias()}${random.pick(['node', 'must', 'nodes', 'all'])}`;
  const field = `${name}${directives(random)} ${selections(random, depth - 1)}`;
  if (random.chance(0.1)) return `${field} ... F${directives(random)}`;
  return random.chance(0.1) ? `...${directives(random)} { ${field} }` : field;
}

const introspection = `
  s: __schema { queryType { name fields { name args { name defaultValue type { kind ofType { name } } } } } directives { name } }
  t: __type(name: "Node") { kind possibleTypes { name } interfaces { name } }
  u: __type(name: "Nothing") { name }`;

/** A valid operation; fragments are of nodes, so that the root selects a node first. */
function operation(random: Random): string {
  const kind = random.pick(['query', 'query', 'mutation']);
  const roots = Array.from({ length: 1 + random.upTo(2) }, (_, index) => {
    return `r${index}: ${random.pick(['node', 'must', 'nodes', 'all'])} ${selections(random, 3)}`;
  });
  const schema = kind === 'query' && random.chance(0.2) ? introspection : '';
  return `${kind} ($at: Int! = 5, $on: Boolean! = true, $off: Boolean! = false, $maybe: Boolean = true) {
      ${roots.join(' ')} ...R${directives(random)} ${schema} }
    fragment R on ${kind === 'query' ? 'Query' : 'Mutation'} { count node { name ...F } }
    fragment F on Node { name must { count ...G } ...G }
    fragment G on Node { kind matrix when(at: $at, names: ["a", "b"]) }`;
}

interface Both {
  readonly text: string;
  readonly own: string;
  readonly library: string;
  readonly ownErrors: number;
  readonly libraryErrors: number;
}

async function executeBoth(seed: number, isAsync: boolean): Promise<Both | null> {
  const random = seeded(seed);
  const text = operation(random);
  const document = parse(text);
  if (validate(schema, document).length > 0) return null;
  const variables = {
    ...random.pick<object>([{}, {}, { at: 1 }, { at: null }, { at: 'x' }]),
    ...random.pick<object>([{}, { on: false }, { off: true }, { on: false, off: true }]),
    // An error of a directive is one at once (see `source`).
    ...random.pick<object>([{}, {}, {}, { maybe: false }, isAsync ? {} : { maybe: null }]),
  };
  const root = source(seed, isAsync);
  const library = await executeByLibrary({ schema: rooted(root), document, variableValues: variables });
  const operationNode = operationOf(document);
  const request = { schema: rooted(root), document, operation: operationNode, variables, context: {} };
  // Others may have sent the same document, with variables that say something else to its directives.
  await execute({
    ...request,
    variables: random.pick<Record<string, unknown>>([variables, { on: false, off: true }, { maybe: null }]),
  });
  const own = await execute(request);
  return {
    text,
    own: isAsync ? dataOf(own) : stringifyResult(own),
    library: isAsync ? dataOf(library) : stringifyResult(library),
    ownErrors: own.errors?.length ?? 0,
    libraryErrors: library.errors?.length ?? 0,
  };
}

function dataOf({ data }: Omit<ExecutionResult, 'data'> & { readonly data?: unknown }): string {
  return stringifyResult({ data });
}

/** The schema with the members of a root value as resolvers: Apollo Server has no root value. */
function rooted(root: object): typeof schema {
  for (const type of [schema.getQueryType(), schema.getMutationType()]) {
    for (const [name, field] of Object.entries(type?.getFields() ?? {})) {
      const member = (root as Record<string, (args: object) => unknown>)[name];
      field.resolve = (_source, args: object) => member?.(args);
    }
  }
  return schema;
}

test.each([false, true])('random operations with promises give the results of graphql-js: %s', async (isAsync) => {
  let compared = 0;
  for (let seed = 1; seed <= 300; seed += 1) {
    const both = await executeBoth(seed, isAsync);
    if (both === null) continue;
    compared += 1;
    expect({ seed, text: both.text, result: both.own }).toEqual({ seed, text: both.text, result: both.library });
    expect(both.ownErrors > 0).toBe(both.libraryErrors > 0);
  }
  expect(compared).toBeGreaterThan(60);
});
