// Operations: each is of one of the two kinds, says who may ask for it, and is performed by perform() alone.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../../src/features.ts';
import type { EntryRead, EntryWrite, ManagementOperation } from '../../../src/resolvers/operation.ts';
import { callerKinds, managers, operators, type CallerKind } from '../../../src/rules/callers.ts';

const root = join(import.meta.dirname, '../../..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

/** What an operation may have besides its steps. */
const extras = ['mayReadReplicas', 'name', 'callers', 'needs', 'scope', 'countOperations', 'stores', 'find'];

/** Reads that leave the decision to the predicate of their statements, or show what the caller knows of. */
const decidedByPredicate = [
  ...['countEntries', 'describeChannels', 'explainEntryAccess', 'fetchEntry', 'fetchRights', 'listChanges'],
  ...['fetchMe', 'fetchMember', 'listChannels', 'listEntries', 'listMembers', 'previewChannelAcl'],
];

/** The steps of each kind, in the order in which they run. */
const entrySteps = ['parse', 'load', 'authorize', 'run', 'present'];
const managementSteps = ['parse', 'run', 'present'];

function isOpen({ callers }: { readonly callers: readonly CallerKind[] }): boolean {
  return callers.includes('public');
}

/** Those whose reads of entries standbys may answer (docs/contract.md §13.7). A write must decide on what the primary has. */
const answeredByReplicas = ['countEntries', 'fetchEntry', 'listEntries'];

test('only reads are answered by standbys', () => {
  const may = Object.values(operations).filter((each) => 'mayReadReplicas' in each);
  expect(may.map(({ name }) => name).sort()).toEqual(answeredByReplicas);
});

describe.each(Object.entries(operations))('%s', (name, operation) => {
  test(`the operation ${name} has the name under which it is listed`, () => {
    expect(operation.name).toBe(name);
  });

  test(`the operation ${name} has the steps of its kind, in their order`, () => {
    const steps = Object.keys(operation).filter((member) => !extras.includes(member));
    if ('authorize' in operation) expect(steps).toEqual(entrySteps);
    else expect(steps).toEqual(managementSteps.filter((step) => step === 'run' || step in operation));
  });

  test(`the operation ${name} decides about access, or is open to managers alone`, () => {
    expect('authorize' in operation || !isOpen(operation)).toBe(true);
  });

  test(`the operation ${name} names the kinds of callers that may ask for it`, () => {
    expect(operation.callers.length).toBeGreaterThan(0);
    expect(callerKinds).toEqual(expect.arrayContaining([...operation.callers]));
  });
});

test('an operation that manages a site is open to master tokens and the operator alone', () => {
  const open = Object.entries(operations).filter(([, operation]) => isOpen(operation));
  expect(open.map(([name]) => name).sort()).toEqual(
    [
      ...['bulkEntries', 'countEntries', 'createEntries', 'createEntry', 'deleteEntry', 'fetchEntry', 'listEntries'],
      ...[
        'updateEntry',
        'fetchChannel',
        'listChannels',
        'describeChannels',
        'listChanges',
        'endSession',
        'fetchRights',
        'fetchMe',
      ],
    ].sort(),
  );
});

test('only reads leave the decision about access to the predicate, and only the bulk to its parts', () => {
  const decidedBy = (decision: string): string[] =>
    Object.values(operations)
      .filter((operation) => 'authorize' in operation && operation.authorize === decision)
      .map(({ name }) => name)
      .sort();
  expect(decidedBy('byPredicate')).toEqual([...decidedByPredicate].sort());
  expect(decidedBy('byParts')).toEqual(['bulkEntries']);
});

interface Nothing {
  readonly args: object;
  readonly input: null;
  readonly loaded: null;
  readonly done: null;
  readonly result: null;
}

test('an operation that lacks a decision about access does not compile', () => {
  const name = 'example';
  const run = (): Promise<null> => Promise.resolve(null);
  const scope = 'nothing' as const;
  const steps = { name, callers: managers, scope, parse: () => null, load: run, run, present: () => null };
  const read: EntryRead<Nothing> = { ...steps, authorize: 'byPredicate' };
  // @ts-expect-error: what manages is not open to public tokens.
  const open: ManagementOperation<{ args: object; done: null }> = { name, callers: ['public'], run };
  // @ts-expect-error: a write decides by itself.
  const write: EntryWrite<Nothing> = { ...steps, authorize: 'byPredicate' };
  // @ts-expect-error: each step of an operation on entries is there.
  const undecided: EntryRead<Nothing> = steps;
  const { scope: _scope, ...unscoped } = steps;
  // @ts-expect-error: an operation on entries says what it needs of a token's scopes.
  const unscopedRead: EntryRead<Nothing> = { ...unscoped, authorize: 'byPredicate' };
  // @ts-expect-error: arguments that are not the input are parsed.
  const unparsed: ManagementOperation<{ args: object; input: null; done: null }> = { name, callers: operators, run };
  const all = [read, open, write, undecided, unscopedRead, unparsed];
  expect(all.map((each) => each.name)).toEqual(Array(6).fill(name));
});

test('each operation that tokens with scopes may run says what it needs of them', () => {
  const undeclared = Object.values(operations).filter((operation) => {
    return !('scope' in operation) && !('needs' in operation) && operation.callers.some((kind) => kind !== 'operator');
  });
  expect(undeclared.map(({ name }) => name)).toEqual([]);
  const needsNothing = Object.values(operations).filter((each) => 'scope' in each && each.scope === 'nothing');
  expect(needsNothing.map(({ name }) => name).sort()).toEqual([
    ...['describeChannels', 'endSession', 'fetchChannel', 'fetchMe', 'listChannels'],
  ]);
});

test('an operation that user tokens may run and that decides nothing by itself needs a right', () => {
  const needs = Object.values(operations).flatMap((operation) => {
    if ('load' in operation || !operation.callers.some((kind) => kind === 'user')) return [];
    const own = 'needs' in operation ? operation.needs : undefined;
    return [[operation.name, typeof own === 'function' ? true : (own?.length ?? 0) > 0]];
  });
  expect(needs.length).toBeGreaterThan(20);
  expect(needs.filter(([, isGuarded]) => isGuarded !== true)).toEqual([]);
});

test('only perform() runs a step of an operation', () => {
  const steps = /\boperations?\.(?:\w+\.)?(?:parse|load|authorize|run|present)\(/;
  const found = sources.filter(({ text }) => steps.test(text)).map(({ path }) => path);
  expect(found).toEqual(['resolvers/perform.ts']);
});
