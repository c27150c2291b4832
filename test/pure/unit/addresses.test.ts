// The addresses that webhooks may be sent to (docs/contract.md §9.3), in every form in which they can be written.
import { describe, expect, test } from '@jest/globals';
import { findAddressFault, findUrlFault } from '../../../src/features/webhooks/delivery/lookup.ts';
import { isPublicAddress } from '../../../src/rules/addresses.ts';

const closed = { allowPrivate: false, allowHttp: false };

test.each([
  ...['93.184.216.34', '1.1.1.1', '8.8.8.8', '172.15.255.255', '172.32.0.1', '100.63.255.255', '100.128.0.1'],
  ...['2606:4700:4700::1111', '2a00:1450:4001::200e', '64:ff9b::808:808', '::ffff:8.8.8.8'],
])('the address %s is public', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test.each([
  // This machine, private networks, links, carriers, groups, and what is reserved.
  ...['127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  ...['169.254.1.1', '100.64.0.1', '100.127.255.255', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255'],
  ...['192.0.0.8', '192.0.2.1', '192.88.99.1', '198.18.0.1', '198.51.100.1', '203.0.113.1'],
  // What providers of machines keep for the machine itself.
  ...['169.254.169.254', '100.100.100.200', '192.0.0.192', '168.63.129.16', 'fd00:ec2::254'],
  // The same in IPv6, and tunnels.
  ...['::', '::1', 'fe80::1', 'fe80::1%eth0', 'fc00::1', 'fdff::1', 'fec0::1', 'ff02::1', '100::1', '2001:db8::1'],
  ...['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::127.0.0.1', '::ffff:0:127.0.0.1'],
  ...[
    '64:ff9b::127.0.0.1',
    '64:ff9b::a00:1',
    '64:ff9b:1::808:808',
    '2002:7f00:1::',
    '2002:808:808::1',
    '2001:0:808::1',
  ],
  ...['3fff::1', '5f00::1', '4000::1'],
  // What is no address.
  ...['', 'localhost', 'example.com', '256.1.1.1x'],
])('the address %j is not public', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

describe('a URL', () => {
  test.each([
    ...['127.0.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '127.1', '127.0.0.1.', '０x7f.1', '①27.0.0.1'],
    ...['[::1]', '[::ffff:127.0.0.1]', '[0:0:0:0:0:ffff:7f00:1]', '[fe80::1]', '[64:ff9b::7f00:1]', '169.254.169.254'],
  ])('a webhook’s URL that names %s is refused unless private addresses are allowed', (host) => {
    expect(findUrlFault(new URL(`https://${host}/x`), closed)).toBe(
      'must not lead to a private or reserved address, unless the service has WEBHOOK_ALLOW_PRIVATE=on',
    );
    expect(findUrlFault(new URL(`https://${host}/x`), { ...closed, allowPrivate: true })).toBeNull();
  });

  test('a webhook’s URL must be https unless http is allowed', () => {
    expect(findUrlFault(new URL('http://example.com'), closed)).toBe('must begin with https://');
    expect(findUrlFault(new URL('http://example.com'), { ...closed, allowHttp: true })).toBeNull();
    expect(findUrlFault(new URL('ftp://example.com'), { ...closed, allowHttp: true })).toBe('must begin with https://');
  });

  test('a webhook’s URL whose name resolves to one private address among public ones is refused', async () => {
    const url = new URL('https://example.com');
    const answer =
      (...addresses: string[]) =>
      () =>
        Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
    expect(await findAddressFault(url, closed, answer('1.1.1.1', '10.0.0.1'))).toMatch(/private/);
    expect(await findAddressFault(url, closed, answer('1.1.1.1', '::1'))).toMatch(/private/);
    expect(await findAddressFault(url, closed, answer('1.1.1.1', '2606:4700::1'))).toBeNull();
    // It may be found when something is sent, and is looked at then.
    expect(await findAddressFault(url, closed, () => Promise.reject(new Error('ENOTFOUND')))).toBeNull();
  });
});
