// The configuration: the proxies that are trusted, and the addresses of databases and of the service.
import { expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../../src/config/config.ts';
import { trustProxies } from '../../../src/http/begin.ts';

test.each([
  '1',
  'loopback, uniquelocal',
  '10.0.0.1',
  '10.0.0.0/8,::1',
  '2001:db8::/32',
  'fe80::1%eth0',
  '::ffff:10.0.0.1',
  '::ffff:10.0.0.0/104',
])('TRUST_PROXY=%s is accepted', (text) => {
  const { trustProxy } = readConfig({ TRUST_PROXY: text });
  expect(trustProxy).toEqual(text === '1' ? 1 : text.split(',').map((item) => item.trim()));
  expect(() => trustProxies(trustProxy)).not.toThrow();
});

test.each([
  'true',
  '1,2',
  '100',
  'example.com',
  '10.0.0',
  '010.0.0.1',
  '0x0a000001',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '0.0.0.0/0',
  '::/0',
  '2001:db8::/129',
])('TRUST_PROXY=%s is refused', (text) => {
  expect(() => readConfig({ TRUST_PROXY: text })).toThrow(ConfigError);
  expect(() => readConfig({ TRUST_PROXY: text })).toThrow(/^TRUST_PROXY: /);
});

test.each([
  ...['prod', 'Production', 'staging', 'dev'].map((word) => ['NODE_ENV', word, 'development, test or production']),
  ['LOG_LEVEL', 'loud', 'trace, debug, info, warn, error, fatal or silent'],
  ...['DEMO', 'CONSOLE', 'SIGN_IN', 'RATE_LIMIT', 'RATE_LIMIT_LEGACY_HEADERS', 'WEBHOOK_ALLOW_PRIVATE'].map((name) => [
    name,
    'yes',
    'on or off',
  ]),
  ['PUBLIC_URL', 'content', 'an address such as https://content.example.com'],
])('%s=%s is refused with the list of valid words', (name = '', word, words) => {
  expect(() => readConfig({ [name]: word })).toThrow(new ConfigError(`${name}: must be ${words}`));
});

test('only NODE_ENV=production means production, and only DEMO=on prints the tokens of a demo', () => {
  const of = (environment: Record<string, string>): unknown[] => {
    const { production, demo, demoTokens, console } = readConfig(environment);
    return [production, demo, demoTokens, console];
  };
  expect(of({})).toEqual([false, true, false, true]);
  expect(of({ NODE_ENV: 'test', DEMO: 'off' })).toEqual([false, false, false, true]);
  expect(of({ NODE_ENV: 'production' })).toEqual([true, false, false, false]);
  expect(of({ NODE_ENV: 'production', DEMO: 'on' })).toEqual([true, true, true, false]);
});

test.each([
  [{ PORT: '4000', METRICS_PORT: '4000' }, true],
  [{ METRICS_PORT: '4000' }, true],
  [{ PORT: '4000', METRICS_PORT: '4000', HOST: '0.0.0.0' }, true],
  [{ PORT: '4000', METRICS_PORT: '4000', METRICS_HOST: '127.0.0.2' }, false],
  [{ PORT: '0', METRICS_PORT: '0' }, false],
  [{ PORT: '4000', METRICS_PORT: '4001' }, false],
])('metrics on the port of requests in %j are refused: %s', (environment, isRefused) => {
  const read = (): unknown => readConfig(environment);
  if (isRefused) expect(read).toThrow('METRICS_PORT: 4000 is PORT, too; metrics need a port of their own');
  else expect(read).not.toThrow();
});

const databaseUrl = 'postgresql://primary/entryway';

test('standbys and a direct URL are read from their variables', () => {
  const { replicas, directUrl } = readConfig({
    DATABASE_URL: databaseUrl,
    DATABASE_REPLICA_URLS: ' postgresql://one/entryway , postgresql://two:5433/entryway?sslmode=require ',
    DATABASE_DIRECT_URL: databaseUrl,
    REPLICA_MAX_LAG: '500',
  });
  const urls = ['postgresql://one/entryway', 'postgresql://two:5433/entryway?sslmode=require'];
  expect([replicas, directUrl]).toEqual([{ urls, maxLag: 500 }, databaseUrl]);
  expect(readConfig({ DATABASE_URL: databaseUrl })).toMatchObject({ replicas: null, directUrl: undefined });
});

test.each([
  ['DATABASE_REPLICA_URLS', { DATABASE_URL: databaseUrl, DATABASE_REPLICA_URLS: 'postgresql://one,two/entryway' }],
  ['DATABASE_REPLICA_URLS', { DATABASE_URL: databaseUrl, DATABASE_REPLICA_URLS: 'mysql://one/entryway' }],
  ['DATABASE_REPLICA_URLS', { DATABASE_REPLICA_URLS: 'postgresql://one/entryway' }],
  ['DATABASE_DIRECT_URL', { DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: 'somewhere' }],
  ['DATABASE_DIRECT_URL', { DATABASE_DIRECT_URL: databaseUrl }],
  ['REPLICA_MAX_LAG', { REPLICA_MAX_LAG: '99' }],
  ['REPLICA_MAX_LAG', { REPLICA_MAX_LAG: '60001' }],
])('the variable %s is refused in %j', (name, environment) => {
  expect(() => readConfig(environment)).toThrow(ConfigError);
  expect(() => readConfig(environment)).toThrow(new RegExp(`^${name}: `));
});

test.each([
  ['https://content.example/api//', 'https://content.example/api'],
  ['https://Content.Example:443', 'https://content.example'],
  ['https://content.example/a"b\\c', 'https://content.example/a%22b/c'],
])('PUBLIC_URL=%s is normalized to %s, safe for JSON and headers', (url, written) => {
  expect(readConfig({ PUBLIC_URL: url }).publicUrl).toBe(written);
});

test.each(['https://content.example/?a', 'https://content.example/#a', 'ftp://content.example'])(
  'PUBLIC_URL=%s is refused',
  (url) => {
    expect(() => readConfig({ PUBLIC_URL: url })).toThrow(/^PUBLIC_URL: /);
  },
);
