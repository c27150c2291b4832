// The address that a client counts under.
import { isIPv4, isIPv6 } from 'node:net';

/**
 * The network of an address, as far as one client has it to itself: an IPv4 address, or the first 64 bits of an IPv6
 * address (RFC 6177 §2). What is no address stands for itself.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  const [unscoped = ''] = address.split('%', 1);
  if (!isIPv6(unscoped)) return address;
  const [head = '', tail] = unscoped.toLowerCase().split('::');
  const groups = head === '' ? [] : head.split(':');
  const behind = tail === undefined || tail === '' ? 0 : tail.split(':').length;
  const zeros = tail === undefined ? 0 : 8 - groups.length - behind;
  const all = [...groups, ...Array<string>(zeros).fill('0'), ...(tail ?? '').split(':')];
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`;
}
