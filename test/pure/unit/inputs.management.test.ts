// The inputs of management, as tables: values that fit no member, and values at the edge that do. Their effects are in
// test/both/graphql/channels.test.ts, customers.test.ts and test/once/graphql/tokens.test.ts.
import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '../../../src/base/errors.ts';
import { aclInput } from '../../../src/inputs/acl.ts';
import { checkNewChannel, languages } from '../../../src/management/channels/input.ts';
import { checkNewCustomer } from '../../../src/inputs/customer.ts';
import { checkNewToken } from '../../../src/management/tokens/input.ts';

const now = new Date('2026-06-01T12:00:00Z');
const long = (length: number): string => 'x'.repeat(length);

/** The members that a check finds errors in. */
function wrongIn(check: () => unknown): string[] {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    expect(error.code).toBe('validation_failed');
    return (error.errors ?? []).map(({ field }) => field);
  }
  return [];
}

describe('a new channel', () => {
  test.each([[''], ['A'], ['-a'], ['_a'], ['a b'], ['é'], [long(64)], ['a\n']])(
    'a new channel cannot have the id %j',
    (id) => {
      expect(wrongIn(() => checkNewChannel({ input: { id } }))).toEqual(['id']);
    },
  );

  test.each(['', '_x', '_status', 'id', 'url', 'slug', 'channel', 'created_at', 'title_field_value', long(256)])(
    'a new channel cannot have the title field %j',
    (titleField) => {
      expect(wrongIn(() => checkNewChannel({ input: { id: 'a', titleField } }))).toEqual(['titleField']);
    },
  );

  test.each([['klingon'], ['English'], [''], ['pg_catalog.english'], ['estonian']])(
    'a new channel cannot have the language %j',
    (language) => {
      expect(wrongIn(() => checkNewChannel({ input: { id: 'a', language } }))).toEqual(['language']);
    },
  );

  test('a new channel can have each of PostgreSQL 15’s 29 languages', () => {
    expect(languages).toHaveLength(29);
    for (const language of languages) expect(checkNewChannel({ input: { id: 'a', language } }).language).toBe(language);
  });
});

describe('a new customer', () => {
  test.each([
    ['a'],
    ['auth0|5'],
    ['user'],
    ['users2'],
    ['roles'],
    ['id'],
    ['ID:x'],
    ['*x'],
    ['\u00e5 \u{1f600}'],
    ['\u0915\u094d\u0937'],
    ['\u2764'],
    [long(255)],
  ])('a new customer can have the id %j', (id) => {
    expect(checkNewCustomer({ input: { id } }).id).toBe(id);
  });

  const unseen = [
    ...['\u200ba', 'a\u200cb', 'a\u200db', 'a\u2060', 'a\ufeff', 'so\u00adft', 'a\u034f', 'a\u180e', 'a\u061c'],
    ...['\u115f', '\u1160', 'a\u3164', 'a\uffa0', '\u2764\ufe0f', 'a\u{e0100}', 'a\u180b', 'a\u{e0061}', 'a\ufff9'],
    ...['\u{1f468}\u200d\u{1f469}', 'a\u2028b', 'a\u2029b', 'a\u00a0b', 'a\u2003b', 'a\u3000b', 'a\u2800b', 'a\u2065'],
    ...[' a', 'a ', 'a  b', '\u00a0', ' '],
  ];
  test.each(unseen)('neither a customer id, a role nor an actor key can be %j, which looks like another one', (id) => {
    expect(wrongIn(() => checkNewCustomer({ input: { id, roles: [id] } }))).toEqual(['id', 'roles']);
    for (const key of [id, `id:${id}`, `role:${id}`]) {
      expect([key, aclInput.safeParse([[key, { read: true }]]).success]).toEqual([key, false]);
    }
  });

  test.each(['*', 'users', 'a b', 'id:a: b', 'role:chief editor', '\u00e5 \u{1f600}'])(
    'an actor key of an access list can be %j',
    (key) => {
      expect(aclInput.safeParse([[key, { read: true }]]).success).toBe(true);
    },
  );

  const invisible = ['a\nb', 'a\u0085', '\u202ea', 'a\u2067b', 'a\u200f', 'a\u2028', 'a\u007f', 'a\u030a', '\u212b'];
  test.each([...invisible, '', 'users', '*', 'id:', 'id:x', 'role:', 'role:x', long(256), 'a\u030a'.repeat(200)])(
    'a new customer cannot have the id %j',
    (id) => {
      expect(wrongIn(() => checkNewCustomer({ input: { id } }))).toEqual(['id']);
    },
  );

  test('a customer’s email address keeps its spelling, and an invalid one is refused under its name', () => {
    expect(checkNewCustomer({ input: { email: 'Ünï+x@例え.jp' } }).email).toBe('Ünï+x@例え.jp');
    expect(wrongIn(() => checkNewCustomer({ input: { email: 'a@b@c' } }))).toEqual(['email']);
  });

  test.each([
    [['']],
    [['edi\u202etor']],
    [['a\nb']],
    [[long(256)]],
    [Array.from({ length: 501 }, (_, index) => `role ${index}`)],
  ])('a customer cannot have an empty or overlong role, one that looks like another, or the 501st (%#)', (roles) => {
    expect(wrongIn(() => checkNewCustomer({ input: { roles } }))).toEqual(['roles']);
  });
});

describe('a new token', () => {
  test.each([
    ['2026-06-01T12:00:00.001Z', '2026-06-01T12:00:00.001Z'],
    ['2026-06-01T14:00:01+02:00', '2026-06-01T12:00:01.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('a new token’s expiry %s is read as %s', (expiresAt, expected) => {
    expect(checkNewToken({ input: { kind: 'public', expiresAt } }, now).expiresAt?.toISOString()).toBe(expected);
  });

  test.each([
    ['2026-06-01T12:00:00Z'],
    ['2020-01-01T00:00:00Z'],
    ['2027-01-01T00:00:00'],
    ['2027-01-01'],
    ['2027-02-30T00:00:00Z'],
    ['9999-12-31T23:59:59-01:00'],
    ['tomorrow'],
    [''],
  ])('a new token cannot expire at %j', (expiresAt) => {
    expect(wrongIn(() => checkNewToken({ input: { kind: 'public', expiresAt } }, now))).toEqual(['expiresAt']);
  });
});
