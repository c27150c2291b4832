// Operations: each is a value of the five steps, says who may ask for it, and is performed by perform() alone.
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { operations } from '../../../src/features.ts';
import { callerKinds } from '../../../src/rules/callers.ts';

const root = join(import.meta.dirname, '../../..');
const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.startsWith('generated'))
  .map((path) => ({ path, text: readFileSync(join(root, 'src', path), 'utf8') }));

/** What an operation may have besides its steps. */
const extras = ['mayReadReplicas', 'name', 'callers', 'countOperations', 'stores'];

/** Those whose reads of entries standbys may answer (docs/contract.md §13.7). A write must decide on what the primary has. */
const answeredByReplicas = ['countEntries', 'fetchEntry', 'listEntries'];

test('every operation of the source is in the list of a feature', () => {
  const declared = sources.flatMap(({ text }) =>
    [...text.matchAll(/^export const (\w+): Operation</gm)].map(([, name]) => name),
  );
  expect(declared.sort()).toEqual(Object.keys(operations).sort());
});

test('reads alone are answered by standbys', () => {
  const may = Object.values(operations).filter((each) => 'mayReadReplicas' in each);
  expect(may.map(({ name }) => name).sort()).toEqual(answeredByReplicas);
});

describe.each(Object.entries(operations))('%s', (name, operation) => {
  test('has the name under which it is listed', () => {
    expect(operation.name).toBe(name);
  });

  test('has the five steps, in their order', () => {
    const steps = Object.keys(operation).filter((member) => !extras.includes(member));
    expect(steps).toEqual(['parse', 'load', 'authorize', 'run', 'present']);
  });

  test('names the kinds of callers that may ask for it', () => {
    expect(operation.callers.length).toBeGreaterThan(0);
    expect(callerKinds).toEqual(expect.arrayContaining([...operation.callers]));
  });
});

test('an operation that manages a site is for nobody but master tokens and the operator', () => {
  const open = Object.entries(operations).filter(([, { callers }]) => callers.includes('public'));
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
      ],
    ].sort(),
  );
});

test('only perform() takes a step of an operation', () => {
  const steps = /\boperations?\.(?:\w+\.)?(?:parse|load|authorize|run|present)\(/;
  const found = sources.filter(({ text }) => steps.test(text)).map(({ path }) => path);
  // The preconditions of REST are looked at behind an operation's own authorization.
  expect(found).toEqual(['resolvers/perform.ts', 'rest/conditions.ts']);
});
