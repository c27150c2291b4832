// The network addresses to which webhooks may be sent (docs/contract.md §9). Pure.
import ipaddr from 'ipaddr.js';

/** Public addresses at which cloud providers serve a machine's own metadata. */
const metadataAddresses = ['168.63.129.16'];

/** The IPv6 prefix in use on the Internet, and the one that translators (NAT64) map IPv4 addresses to. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an address is on the public Internet: not private, loopback, link-local, carrier-grade NAT, multicast or
 * reserved. An IPv6 address that maps an IPv4 address is judged as the latter; tunnels are not public.
 * @param text an address; for any other text the result is false
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // Converts an IPv4-mapped IPv6 address to IPv4.
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  const [network, bits] = translated;
  if (address.match(network, bits)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.range() === 'unicast' && address.match(...globalUnicast);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !metadataAddresses.includes(address.toString());
}
