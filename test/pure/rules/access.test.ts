// Every row of docs/contract.md §3, as tables.
import { describe, expect, test } from '@jest/globals';
import { mayCreate, mayRead, mayWrite, type ChannelAcl, type EntryAcl, type Scope } from '../../../src/rules/access.ts';
import { makeViewer } from '../../../src/rules/callers.ts';
import { longActorKey, type Subject } from '../../../src/rules/actors.ts';

const unchecked: Subject = { is: 'unchecked' };
const anonymous: Subject = { is: 'anonymous' };
const ada: Subject = { is: 'customer', id: 'ada', roles: ['editor', 'role:x'] };
const bob: Subject = { is: 'customer', id: 'bob', roles: [] };
const scopes: Scope[] = ['public', 'shared', 'private', 'none'];

function every(scope: Scope): ChannelAcl {
  return { create: scope, read: scope, update: scope, delete: scope };
}

/** An entry of ada's, with an access list. */
function adas(acl: EntryAcl = {}): { acl: EntryAcl; owner: string | null } {
  return { acl, owner: 'ada' };
}

describe('the subject of access control', () => {
  const customer = { id: 'ada', roles: ['editor'] };
  test.each([
    ['master', null, false, { is: 'unchecked' }],
    ['master', customer, false, { is: 'unchecked' }],
    ['master', null, true, { is: 'anonymous' }],
    ['master', customer, true, { is: 'customer', id: 'ada', roles: ['editor'] }],
    ['public', null, false, { is: 'anonymous' }],
    ['public', null, true, { is: 'anonymous' }],
    ['public', customer, false, { is: 'customer', id: 'ada', roles: ['editor'] }],
    ['user', null, false, { is: 'anonymous' }],
    ['user', customer, false, { is: 'customer', id: 'ada', roles: ['editor'] }],
  ] as const)('the subject of a %s token, customer %j, use_acl %s: %j', (kind, session, useAcl, subject) => {
    expect(makeViewer({ kind, customer: session, scopes: null }, useAcl, new Date()).subject).toEqual(subject);
  });
});

describe('channel scopes', () => {
  //          scope     anonymous, a customer
  const create: [Scope, boolean, boolean][] = [
    ['public', true, true],
    ['shared', false, true],
    ['private', false, true],
    ['none', false, false],
  ];
  test.each(create)('create in %s: anonymous %s, a customer %s', (scope, nobody, someone) => {
    expect(mayCreate(anonymous, every(scope))).toBe(nobody);
    expect(mayCreate(bob, every(scope))).toBe(someone);
    expect(mayCreate(unchecked, every(scope))).toBe(true);
  });

  const rest = [
    ['public', true, true, true],
    ['shared', false, true, true],
    ['private', false, false, true],
    ['none', false, false, false],
  ] as const;
  describe.each(['read', 'update', 'delete'] as const)('%s without an access list', (action) => {
    test.each(rest)(
      `${action} in %s, an entry without an access list: anonymous %s, another customer %s, the owner %s`,
      (scope, nobody, other, owner) => {
        const may = (subject: Subject): boolean =>
          action === 'read' ? mayRead(subject, every(scope), adas()) : mayWrite(subject, action, every(scope), adas());
        expect([may(anonymous), may(bob), may(ada), may(unchecked)]).toEqual([nobody, other, owner, true]);
      },
    );
  });

  test('an entry without an owner belongs to nobody', () => {
    expect(mayRead(ada, every('private'), { acl: {}, owner: null })).toBe(false);
  });
});

describe('actor keys', () => {
  test.each([
    ['*', '*'],
    ['users', 'users'],
    ['id:ada', 'id:ada'],
    ['role:editor', 'role:editor'],
    ['ada', 'id:ada'],
    ['*x', 'id:*x'],
    ['Users', 'id:Users'],
    ['role', 'id:role'],
    ['__proto__', 'id:__proto__'],
  ])('the key %s means %s', (key, long) => {
    expect(longActorKey(key)).toBe(long);
  });

  //                       anonymous bob  ada
  const grants = [
    ['*', true, true, true],
    ['users', false, true, true],
    ['id:ada', false, false, true],
    ['ada', false, false, true],
    ['role:editor', false, false, true],
    ['role:role:x', false, false, true],
    ['role:x', false, false, false],
    ['id:users', false, false, false],
    ['Users', false, false, false],
    ['role:Editor', false, false, false],
  ] as const;
  test.each(grants)('a grant to %s opens to anonymous %s, another customer %s, ada %s', (key, nobody, other, her) => {
    const entry = { acl: { [key]: { read: true } }, owner: null };
    expect([anonymous, bob, ada].map((subject) => mayRead(subject, every('none'), entry))).toEqual([
      nobody,
      other,
      her,
    ]);
  });
});

describe('rule 1: a grant opens', () => {
  test.each(scopes)('a grant opens reading, whatever the scope: %s', (scope) => {
    expect(mayRead(bob, every(scope), adas({ bob: { read: true } }))).toBe(true);
  });

  test('a grant overrides every denial, whatever its key', () => {
    expect(mayRead(ada, every('none'), adas({ ada: { read: false }, 'role:editor': { read: true } }))).toBe(true);
  });

  test('a grant opens only its own action', () => {
    const entry = adas({ bob: { read: true, create: true } });
    expect(mayWrite(bob, 'update', every('private'), entry)).toBe(false);
    expect(mayWrite(bob, 'delete', every('private'), entry)).toBe(false);
  });
});

describe('rule 2: a deny closes', () => {
  //             key            scope      anonymous bob    ada
  const denials = [
    ['*', 'public', false, false, false],
    ['*', 'shared', false, true, true],
    ['*', 'private', false, false, true],
    ['*', 'none', false, false, false],
    ['users', 'public', true, false, false],
    ['users', 'shared', false, false, false],
    ['users', 'private', false, false, false],
    ['id:ada', 'public', true, true, false],
    ['id:ada', 'private', false, false, false],
    ['role:editor', 'shared', false, true, false],
  ] as const;
  test.each(denials)(
    'a denial for %s in %s: anonymous %s, another customer %s, the owner %s',
    (key, scope, nobody, other, her) => {
      const entry = adas({ [key]: { read: false } });
      expect([anonymous, bob, ada].map((subject) => mayRead(subject, every(scope), entry))).toEqual([
        nobody,
        other,
        her,
      ]);
    },
  );

  test('a denial never closes an entry to a master token that bypasses access control', () => {
    expect(mayRead(unchecked, every('none'), adas({ '*': { read: false } }))).toBe(true);
    expect(mayWrite(unchecked, 'delete', every('none'), adas({ '*': { delete: false } }))).toBe(true);
  });
});

describe('update and delete ask the channel too', () => {
  describe.each(['update', 'delete'] as const)('%s', (action) => {
    const granted = (key: string): ReturnType<typeof adas> => adas({ [key]: { [action]: true } });
    //             scope      anonymous granted by *, a customer granted by id
    const rows = [
      ['public', true, true],
      ['shared', false, true],
      ['private', false, true],
      ['none', false, false],
    ] as const;
    test.each(rows)(
      `${action} in %s: anonymous with a grant %s, a customer with a grant %s`,
      (scope, nobody, someone) => {
        expect(mayWrite(anonymous, action, every(scope), granted('*'))).toBe(nobody);
        expect(mayWrite(bob, action, every(scope), granted('bob'))).toBe(someone);
      },
    );

    test(`${action} in a channel of scope none is closed to the owner, too`, () => {
      expect(mayWrite(ada, action, every('none'), granted('ada'))).toBe(false);
    });

    test(`a denial of ${action} applies to the owner, too`, () => {
      expect(mayWrite(ada, action, every('private'), adas({ ada: { [action]: false } }))).toBe(false);
    });
  });
});
