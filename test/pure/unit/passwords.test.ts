// Passwords: the rule for new ones, their hashes, and the turns in which they are computed (docs/contract.md §14.8).
import { scryptSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import {
  findPasswordFault,
  hashPassword,
  isOutdatedHash,
  isPasswordOf,
  isStoredHash,
} from '../../../src/features/signIn/passwords.ts';

describe('a new password', () => {
  test.each([
    ['12 characters', 'abcdefghijkl', null],
    ['11 characters', 'abcdefghijk', 'must have at least 12 characters'],
    ['12 characters of two units each', '😀'.repeat(12), null],
    ['11 characters of two units each', '😀'.repeat(11), 'must have at least 12 characters'],
    ['12 characters that are 11 in form C', `abcdefghije\u0301`, 'must have at least 12 characters'],
    ['256 characters', 'x'.repeat(256), null],
    ['257 characters', 'x'.repeat(257), 'must have at most 256 characters'],
    ['the address', 'Ada@Example.com', 'must not be the address'],
    ['half a character', `abcdefghijkl\ud800`, 'must be Unicode text'],
  ])('of %s', (_what, password, fault) => {
    expect(findPasswordFault(password, 'ada@example.com')).toBe(fault);
  });
});

describe('a hash', () => {
  test('is that of scrypt with its parameters, and of the password in form C', async () => {
    const stored = await hashPassword('e\u0301'.repeat(12));
    const [, salt = '', hash = ''] = /^\$scrypt\$ln=15,r=8,p=3\$([^$]{22})\$([^$]{43})$/.exec(stored) ?? [];
    const options = { N: 32_768, r: 8, p: 3, maxmem: 67_108_864 };
    const expected = scryptSync('é'.repeat(12), Buffer.from(salt, 'base64'), 32, options);
    expect(expected.toString('base64').replace(/=+$/, '')).toBe(hash);
    expect(await isPasswordOf('é'.repeat(12), stored)).toBe(true);
    expect(await isPasswordOf('é'.repeat(13), stored)).toBe(false);
    expect(isStoredHash(stored)).toBe(true);
    expect(isStoredHash('e'.repeat(12))).toBe(false);
  });

  test('of the same password is another one each time', async () => {
    expect(await hashPassword('correct horse battery')).not.toBe(await hashPassword('correct horse battery'));
  });

  test('with lower parameters is outdated, and still checked', async () => {
    const salt = Buffer.alloc(16, 1);
    const hash = scryptSync('correct horse battery', salt, 32, { N: 1_024, r: 8, p: 1 });
    const text = (bytes: Buffer): string => bytes.toString('base64').replace(/=+$/, '');
    const stored = `$scrypt$ln=10,r=8,p=1$${text(salt)}$${text(hash)}`;
    expect([await isPasswordOf('correct horse battery', stored), isOutdatedHash(stored)]).toEqual([true, true]);
    expect(isOutdatedHash(await hashPassword('correct horse battery'))).toBe(false);
  });

  test('that is not there takes any password, and fits none', async () => {
    expect(await isPasswordOf('correct horse battery', null)).toBe(false);
  });
});
