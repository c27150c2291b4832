import { describe, expect, test } from '@jest/globals';
import { networkKey } from '../../../src/admission/rateLimits.ts';

describe('the network that a client counts under', () => {
  test.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['::ffff:c000:207', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:db8::5:6:7:8', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['192.0.2.7:10001', '192.0.2.7'],
    ['[2001:db8:1:2::7]:10001', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]', '2001:db8:1:2::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
    ['010.0.0.1', '010.0.0.1'],
    ['no address', 'no address'],
  ])('the client %j counts under the network %j', (address, network) => {
    expect(networkKey(address)).toBe(network);
  });
});
