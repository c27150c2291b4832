// The configuration: which proxies it takes, so that requests can be told to be theirs.
import { expect, test } from '@jest/globals';
import { ConfigError, readConfig } from '../../../src/config.ts';
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
])('TRUST_PROXY=%s', (text) => {
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
