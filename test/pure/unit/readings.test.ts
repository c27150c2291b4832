// The key by which readers of changes share their reads (src/features/changes/reading.ts): it differs by everything
// that decides what they see (docs/contract.md §9.2).
import { describe, expect, test } from '@jest/globals';
import { writeCanonical } from '../../../src/base/canonical.ts';
import type { ChangesArguments } from '../../../src/features/changes/input.ts';
import { readingKey, type Reading } from '../../../src/features/changes/reading.ts';
import type { Caller } from '../../../src/rules/callers.ts';

/** Each member of the types has a value here: a new member is missing until it is added. */
const args: Required<Omit<ChangesArguments, 'after'>> = {
  channel: 'articles',
  limit: 20,
  first: 20,
  types: ['entry.created', 'entry.updated'],
  include: 'entry',
};
const caller: Required<Caller> = {
  kind: 'public',
  customer: { id: 'ada', roles: ['editor', 'author'] },
  member: { user: 'u', roles: [{ id: 'editor', rights: [{ name: 'update', own: false, channel: null }] }] },
  scopes: {
    owner: 'member:u',
    roles: [{ id: '', rights: [{ name: 'read', own: false, channel: null }] }],
    channels: { films: 'uid' },
  },
};
const reading: Required<Reading> = {
  site: 'blog',
  caller,
  useAcl: false,
  baseUrl: 'https://entryway.example',
  args,
  form: ['graphql', 'subscription { changes { type } }', 'Name', { wanted: [1, { deep: null }] }],
};

/** All paths to the values that are not objects, in a value. */
function pathsIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return Object.entries(value).flatMap(([name, member]) => pathsIn(member, [...path, name]));
}

/** A copy of a value with another one, or with none, at a path. */
function replaceAt(value: unknown, [name, ...rest]: readonly string[], put: (old: unknown) => unknown): unknown {
  if (name === undefined) return put(value);
  const copy = (Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = replaceAt(copy[name], rest, put);
  return copy;
}

const other = (old: unknown): unknown =>
  typeof old === 'string' ? `${old}x` : typeof old === 'number' ? old + 1 : !old;

describe('the key of a reading', () => {
  test('equal readings have equal keys, whatever the order of their members', () => {
    const turned = Object.fromEntries(Object.entries(reading).reverse()) as unknown as Reading;
    expect(readingKey(turned)).toBe(readingKey(structuredClone(reading)));
  });

  test.each(pathsIn(reading).map((path) => [path.join('.'), path] as const))(
    'the key of a reading differs by %s',
    (_name, path) => {
      const changed = replaceAt(reading, path, other) as Reading;
      const removed = replaceAt(reading, path, () => undefined) as Reading;
      const keys = new Set([reading, changed, removed].map(readingKey));
      expect(keys.size).toBe(3);
    },
  );

  test('the key of a reading differs between an anonymous visitor and a customer without roles', () => {
    const of = (customer: Caller['customer']): string =>
      readingKey({ ...reading, caller: { kind: 'public', customer, scopes: null } });
    expect(new Set([of(null), of({ id: null, roles: [] }), of({ id: 'ada', roles: [] })]).size).toBe(3);
  });

  test('the key of a reading differs by the order of roles', () => {
    const roles = ['author', 'editor'];
    expect(readingKey({ ...reading, caller: { ...caller, customer: { id: 'ada', roles } } })).not.toBe(
      readingKey(reading),
    );
  });

  test.each([
    ['a function', () => 1],
    ['a map', new Map([['a', 1]])],
    ['an object of a class', new URL('https://entryway.example')],
    ['a symbol', Symbol('sight')],
  ])('a reading with %s has no key, because it may hide values that decide', (_what, form) => {
    expect(() => readingKey({ ...reading, form })).toThrow(TypeError);
  });
});

describe('the canonical text of a value', () => {
  test('the canonical text differs for values that JSON writes alike', () => {
    const alike = [
      null,
      NaN,
      'null',
      undefined,
      [],
      [undefined],
      [null],
      {},
      new Set(),
      new Set([1]),
      '1',
      1,
      1n,
      -0,
      0,
    ];
    const dated = [...alike, new Date(0), new Date(0).toISOString(), { a: 1 }, { a: '1' }, ['a', 1]];
    expect(new Set(dated.map(writeCanonical)).size).toBe(dated.length);
  });

  test('the canonical text of a set is equal in any order of insertion', () => {
    expect(writeCanonical(new Set(['b', 'a']))).toBe(writeCanonical(new Set(['a', 'b'])));
  });
});
