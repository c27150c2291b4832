// Long lists of values that have to be waited for are written in steps, between which others are answered.
import { expect, test } from '@jest/globals';
import { buildSchema, execute as executeByLibrary, parse, type ExecutionResult } from 'graphql';
import { nextTurn } from '../../../src/base/eventLoop.ts';
import { execute, stringifyResult, type GraphqlResult } from '../../../src/graphql/executor/execute.ts';
import { operationOf } from '../../support/operationOf.ts';

const schema = buildSchema(`
  type Query { nodes: [Node] must: [Node!] }
  type Node { name: String nodes: [Node] must: String! }`);

const later = (value: unknown): unknown => new Promise((resolve) => setImmediate(resolve, value));
const failLater = (): unknown => Promise.resolve().then(() => Promise.reject(new Error('failed')));
const count = (length: number, make: (index: number) => unknown): unknown[] =>
  Array.from({ length }, (_, index) => make(index));

/** Executes a query by our own code and by graphql-js. */
async function executeBoth(query: string, root: object): Promise<{ own: GraphqlResult; library: ExecutionResult }> {
  for (const [name, field] of Object.entries(schema.getQueryType()?.getFields() ?? {})) {
    field.resolve = () => (root as Record<string, () => unknown>)[name]?.();
  }
  const document = parse(query);
  const operation = operationOf(document);
  const own = await execute({ schema, document, operation, context: {} });
  return { own, library: await executeByLibrary({ schema, document }) };
}

/** How many turns the event loop takes during some work. */
async function countTurns(work: Promise<unknown>): Promise<number> {
  const state = { turns: 0, isDone: false };
  void work.finally(() => (state.isDone = true));
  while (!state.isDone) {
    await new Promise(setImmediate);
    state.turns += 1;
  }
  return state.turns;
}

test('nextTurn resumes one waiter per turn, in their order', async () => {
  const order: string[] = [];
  const wait = async (name: string): Promise<void> => {
    await nextTurn();
    order.push(name);
  };
  const waiting = [wait('a'), wait('b'), wait('c')];
  for (const expected of ['a', 'ab', 'abc']) {
    await new Promise(setImmediate);
    expect(order.join('')).toBe(expected);
  }
  await Promise.all(waiting);
});

test('the event loop turns within a long list, and not within a short one', async () => {
  const root = (length: number): object => ({
    nodes: () => count(length, (at) => ({ name: Promise.resolve(`${at}`) })),
  });
  const turns = (length: number): Promise<number> => countTurns(executeBoth('{ nodes { name } }', root(length)));
  expect(await turns(500)).toBeLessThan(3);
  expect(await turns(5_000)).toBeGreaterThanOrEqual(9);
});

test.each<[string, string, object]>([
  ['lists', '{ nodes { name } }', { nodes: () => count(1_700, (at) => ({ name: later(`${at}`) })) }],
  [
    'lists in lists',
    '{ nodes { nodes { name nodes { name } } } }',
    {
      nodes: () =>
        count(40, (at) => ({
          nodes: () =>
            later(
              count(40, (below) => ({ name: later(`${at} ${below}`), nodes: () => later([{ name: later('x') }]) })),
            ),
        })),
    },
  ],
  ['values that fail', '{ nodes { name } }', { nodes: () => count(1_700, () => ({ name: failLater })) }],
  [
    'an item that must not be null',
    '{ must { must } nodes { name } }',
    {
      must: () => count(1_700, (at) => ({ must: at === 1_600 ? failLater : later('x') })),
      nodes: () => count(1_700, () => ({ name: later('x') })),
    },
  ],
  // They fail before they are written.
  [
    'items that fail',
    '{ nodes { name } }',
    {
      nodes: () => count(1_700, (at) => (at > 1_000 ? failLater() : { name: later('x') })),
    },
  ],
])('long lists give the results of graphql-js: %s', async (_what, query, root) => {
  const { own, library } = await executeBoth(query, root);
  expect(stringifyResult({ data: own.data })).toBe(stringifyResult({ data: library.data }));
  const paths = ({ errors = [] }: Pick<ExecutionResult, 'errors'>): string[] =>
    errors.map(({ path }) => JSON.stringify(path)).sort();
  expect(paths(own)).toEqual(paths(library));
});

test('items after one that fails at once are not written, and their rejections are handled', async () => {
  const unhandled: unknown[] = [];
  const note = (reason: unknown): void => void unhandled.push(reason);
  const root = { must: () => [null, failLater(), failLater()] };
  process.on('unhandledRejection', note);
  try {
    const operation = parse('{ must { must } }');
    for (const [name, field] of Object.entries(schema.getQueryType()?.getFields() ?? {})) {
      if (name === 'must') field.resolve = () => root.must();
    }
    const { data } = await execute({ schema, document: operation, operation: operationOf(operation), context: {} });
    await new Promise(setImmediate);
    expect([stringifyResult({ data }), unhandled]).toEqual(['{"data":{"must":null}}\n', []]);
  } finally {
    process.off('unhandledRejection', note);
  }
});
