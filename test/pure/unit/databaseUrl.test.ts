// DATABASE_URL: one server or several, and their description without the password.
import { expect, test } from '@jest/globals';
import { describeHosts, parseHosts } from '../../../src/config/databaseUrl.ts';

test.each<[string, string[] | null, boolean]>([
  ['postgres://a/b', ['postgres://a/b'], false],
  [
    'postgresql://me:p%40ss@a:1,b:2,[::1]:3/c',
    ['a:1', 'b:2', '[::1]:3'].map((host) => `postgresql://me:p%40ss@${host}/c`),
    true,
  ],
  [
    'postgresql://a,b/c?target_session_attrs=any&sslmode=require',
    ['postgresql://a/c?sslmode=require', 'postgresql://b/c?sslmode=require'],
    false,
  ],
  ['postgresql://a/c?target_session_attrs=primary', ['postgresql://a/c'], true],
  ['postgresql://a,b/c?target_session_attrs=standby', null, false],
  ['postgresql:///c?host=/run', ['postgresql:///c?host=%2Frun'], false],
  ['postgresql://a,/c', null, false],
  ['postgresql://a:x,b/c', null, false],
  ['mysql://a/b', null, false],
  ['a/b', null, false],
])('DATABASE_URL=%s names the servers %j', (url, urls, writable) => {
  expect(parseHosts(url)).toEqual(urls && { urls, writable });
});

test('no message about DATABASE_URL has the password', () => {
  expect(describeHosts('postgresql://me:secret@a:1,b:2/name?password=secret')).toBe('a:1,b:2/name');
});
