// Which addresses of the network webhooks may be sent to (docs/contract.md §9). Pure.
import ipaddr from 'ipaddr.js';

/** Public addresses behind which providers of machines keep what only the machine itself may ask. */
const metadataAddresses = ['168.63.129.16'];

/** The addresses of IPv6 that are in use on the Internet, and those that stand for one of IPv4 behind a translator. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3');
const translated = ipaddr.IPv6.parseCIDR('64:ff9b::/96');

/**
 * Whether an address belongs to the public Internet: not to a private network, this machine, a link, a carrier, a group of
 * receivers, and nothing reserved. What stands for an address of IPv4 is judged as that one; tunnels are not public.
 * @param text an address; false for anything else
 */
export function isPublicAddress(text: string): boolean {
  if (!ipaddr.isValid(text)) return false;
  // An IPv6 address that is mapped from IPv4 becomes one of IPv4.
  const address = ipaddr.process(text);
  if (address instanceof ipaddr.IPv4) return isPublicIpv4(address);
  const [network, bits] = translated;
  if (address.match(network, bits)) return isPublicIpv4(new ipaddr.IPv4(address.toByteArray().slice(12)));
  return address.range() === 'unicast' && address.match(...globalUnicast);
}

function isPublicIpv4(address: ipaddr.IPv4): boolean {
  return address.range() === 'unicast' && !metadataAddresses.includes(address.toString());
}
