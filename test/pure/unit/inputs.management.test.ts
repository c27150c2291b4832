// The inputs of management, as tables: what they become, and every error of one at once, by GraphQL's names.
import { describe, expect, test } from '@jest/globals';
import { ServiceError } from '../../../src/errors.ts';
import type { ChannelPatch } from '../../../src/generated/graphql/types.ts';
import { checkChannelPatch, checkNewChannel, languages } from '../../../src/inputs/channel.ts';
import { checkCustomerPatch, checkNewCustomer } from '../../../src/inputs/customer.ts';
import { checkLifetime, checkNewToken } from '../../../src/inputs/token.ts';

const now = new Date('2026-06-01T12:00:00Z');
const long = (length: number): string => 'x'.repeat(length);

/** What a check refuses with. */
function refusalOf(check: () => unknown): ServiceError {
  try {
    check();
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}

/** The members that a check finds errors in. */
function wrongIn(check: () => unknown): string[] {
  const { code, errors = [] } = refusalOf(check);
  expect(code).toBe('validation_failed');
  return errors.map(({ field }) => field);
}

describe('a new channel', () => {
  const defaults = {
    id: 'movies',
    name: 'movies',
    description: null,
    publishable: false,
    createScope: 'none',
    readScope: 'public',
    updateScope: 'none',
    deleteScope: 'none',
    titleField: 'title',
    language: 'english',
    fields: [],
  };

  test('gets a default for every setting that is absent', () => {
    expect(checkNewChannel({ id: 'movies' })).toEqual(defaults);
  });

  test('gets a default for every setting that is null', () => {
    const acl = { create: null, read: null, update: null, delete: null };
    const nulls = { name: null, description: null, publishable: null, titleField: null, language: null, fields: null };
    expect(checkNewChannel({ id: 'movies', ...nulls, acl })).toEqual(defaults);
    expect(checkNewChannel({ id: 'movies', ...nulls, acl: null })).toEqual(defaults);
  });

  test('gets what is set', () => {
    const input = {
      id: 'a-1_b',
      name: 'Films',
      description: long(10_000),
      publishable: true,
      acl: { create: 'shared', read: 'none', update: 'private' },
      titleField: 'Name of the thing',
      language: 'simple',
    } as const;
    expect(checkNewChannel(input)).toEqual({
      id: 'a-1_b',
      name: 'Films',
      description: long(10_000),
      publishable: true,
      createScope: 'shared',
      readScope: 'none',
      updateScope: 'private',
      deleteScope: 'none',
      titleField: 'Name of the thing',
      language: 'simple',
      fields: [],
    });
  });

  test.each([[''], ['A'], ['-a'], ['_a'], ['a b'], ['é'], [long(64)], ['a\n']])('cannot have the id %j', (id) => {
    expect(wrongIn(() => checkNewChannel({ id }))).toEqual(['id']);
  });

  test.each(['', '_x', '_status', 'id', 'url', 'slug', 'channel', 'created_at', 'title_field_value', long(256)])(
    'cannot have the title field %j',
    (titleField) => {
      expect(wrongIn(() => checkNewChannel({ id: 'a', titleField }))).toEqual(['titleField']);
    },
  );

  test.each([['klingon'], ['English'], [''], ['pg_catalog.english'], ['estonian']])(
    'cannot have the language %j',
    (language) => {
      expect(wrongIn(() => checkNewChannel({ id: 'a', language }))).toEqual(['language']);
    },
  );

  test('can have each of PostgreSQL 15’s 29 languages', () => {
    expect(languages).toHaveLength(29);
    for (const language of languages) expect(checkNewChannel({ id: 'a', language }).language).toBe(language);
  });

  test('is refused with all its errors at once', () => {
    const input = { id: 'A', name: long(256), description: long(10_001), titleField: '_x', language: 'x' };
    expect(wrongIn(() => checkNewChannel(input))).toEqual(['id', 'name', 'description', 'titleField', 'language']);
  });
});

describe('a channel patch', () => {
  test.each<[ChannelPatch, object]>([
    [{}, {}],
    [{ description: null }, { description: null }],
    [{ publishable: false }, { publishable: false }],
    [{ acl: {} }, {}],
    [{ acl: { create: 'public', read: null } }, { createScope: 'public' }],
    [
      { acl: { read: 'none', update: 'shared', delete: 'private' } },
      { readScope: 'none', updateScope: 'shared', deleteScope: 'private' },
    ],
    [
      { name: 'N', titleField: 't', language: 'german', fields: [] },
      { name: 'N', titleField: 't', language: 'german', fields: [] },
    ],
  ])('%j sets %j alone', (input, set) => {
    expect(checkChannelPatch(input)).toEqual(set);
  });

  test('refuses null for whatever cannot be cleared, and says so', () => {
    const input = { name: null, publishable: null, acl: null, titleField: null, language: null, fields: null };
    const { errors } = refusalOf(() => checkChannelPatch(input));
    expect(errors).toEqual(
      Object.keys(input).map((field) => ({ field, code: 'invalid', message: 'must not be null' })),
    );
  });
});

describe('a new customer', () => {
  test.each([[{}], [{ id: null, email: null, name: null, roles: null }]])('of %j has nothing', (input) => {
    expect(checkNewCustomer(input)).toEqual({ id: null, email: null, name: null, roles: [] });
  });

  test.each([['a'], ['auth0|5'], ['user'], ['users2'], ['roles'], ['id'], ['ID:x'], ['*x'], [long(255)]])(
    'can have the id %j',
    (id) => {
      expect(checkNewCustomer({ id }).id).toBe(id);
    },
  );

  test.each([[''], ['users'], ['*'], ['id:'], ['id:x'], ['role:'], ['role:x'], [long(256)]])(
    'cannot have the id %j',
    (id) => {
      expect(wrongIn(() => checkNewCustomer({ id }))).toEqual(['id']);
    },
  );

  test.each([['a@b'], ['Ünï+x@例え.jp'], [`a@${long(318)}`]])('can have the address %j', (email) => {
    expect(checkNewCustomer({ email }).email).toBe(email);
  });

  test.each([[''], ['a'], ['@'], ['a@'], ['@b'], ['a@b@c'], ['a b@c'], ['a@b\n'], [`a@${long(319)}`]])(
    'cannot have the address %j',
    (email) => {
      expect(wrongIn(() => checkNewCustomer({ email }))).toEqual(['email']);
    },
  );

  test('has each role once, in the order of their first mention', () => {
    expect(checkNewCustomer({ roles: ['b', 'a', 'b', 'a'] }).roles).toEqual(['b', 'a']);
  });

  test.each([[['']], [[long(256)]], [Array.from({ length: 501 }, (_, index) => `role ${index}`)]])(
    'cannot have an empty, an overlong or the 501st role (%#)',
    (roles) => {
      expect(wrongIn(() => checkNewCustomer({ roles }))).toEqual(['roles']);
    },
  );

  test('is refused with all its errors at once', () => {
    const input = { id: '*', email: 'x', name: long(256), roles: ['', 'a', ''] };
    expect(wrongIn(() => checkNewCustomer(input))).toEqual(['id', 'email', 'name', 'roles', 'roles']);
  });
});

test.each([
  [{}, {}],
  [
    { email: null, name: null, roles: null },
    { email: null, name: null, roles: [] },
  ],
  [{ roles: ['a', 'a'] }, { roles: ['a'] }],
  [{ name: '' }, { name: '' }],
])('a customer patch %j sets %j alone', (input, set) => {
  expect(checkCustomerPatch(input)).toEqual(set);
});

describe('a new token', () => {
  test.each([
    ['2026-06-01T12:00:00.001Z', '2026-06-01T12:00:00.001Z'],
    ['2026-06-01T14:00:01+02:00', '2026-06-01T12:00:01.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('that expires at %s does so at %s', (expiresAt, expected) => {
    expect(checkNewToken({ kind: 'public', expiresAt }, now).expiresAt?.toISOString()).toBe(expected);
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
  ])('cannot expire at %j', (expiresAt) => {
    expect(wrongIn(() => checkNewToken({ kind: 'public', expiresAt }, now))).toEqual(['expiresAt']);
  });

  test('never expires and has no name unless told otherwise', () => {
    const token = { kind: 'master', name: null, expiresAt: null } as const;
    expect(checkNewToken({ kind: 'master' }, now)).toEqual(token);
    expect(checkNewToken(token, now)).toEqual(token);
  });

  test('is refused with all its errors at once', () => {
    const input = { kind: 'public', name: long(256), expiresAt: 'x' } as const;
    expect(wrongIn(() => checkNewToken(input, now))).toEqual(['name', 'expiresAt']);
  });
});

describe('a session', () => {
  test.each([
    [{}, 86_400],
    [{ ttlSeconds: null }, 86_400],
    [{ ttlSeconds: 1 }, 1],
    [{ ttlSeconds: 31_536_000 }, 31_536_000],
  ])('with %j lasts %d seconds', (input, seconds) => {
    expect(checkLifetime(input)).toBe(seconds);
  });

  test.each([[0], [-1], [31_536_001], [1.5]])('cannot last %d seconds', (ttlSeconds) => {
    expect(wrongIn(() => checkLifetime({ ttlSeconds }))).toEqual(['ttlSeconds']);
  });
});
