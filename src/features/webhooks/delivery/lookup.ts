// Keeps webhooks out of private networks (docs/contract.md §9): a name is looked up when it is connected to, and the
// checked addresses are the connected ones, so that a name that changes its answer gains nothing.
import type { LookupAddress, LookupOptions } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { WebhookConfig } from '../../../config/config.ts';
import { isPublicAddress } from '../../../rules/addresses.ts';

/** Looks up all addresses of a name. */
export type LookUpAll = (name: string, options: LookupOptions & { readonly all: true }) => Promise<LookupAddress[]>;

/** Thrown for a name that leads to an address that webhooks must not reach. */
export class PrivateAddressError extends Error {}

const privateAddress =
  'must not lead to a private or reserved address, unless the service has WEBHOOK_ALLOW_PRIVATE=on';

/** Looks up the addresses of a connection. @throws PrivateAddressError if any of them is not public */
export function guardedLookup({ allowPrivate }: WebhookConfig, lookUp: LookUpAll): LookupFunction {
  return (name, options, onFound) => {
    const { all: _, ...others } = options;
    const found = lookUp(name, { ...others, all: true }).then((addresses) => {
      const isAllowed =
        addresses.length > 0 && (allowPrivate || addresses.every(({ address }) => isPublicAddress(address)));
      if (!isAllowed) throw new PrivateAddressError(privateAddress);
      return addresses;
    });
    found.then(
      (addresses) => {
        if (options.all === true) onFound(null, addresses);
        else onFound(null, addresses[0]?.address ?? '', addresses[0]?.family);
      },
      (error: unknown) => onFound(error as NodeJS.ErrnoException, ''),
    );
  };
}

/**
 * The fault of an address as it is written, without a look-up; null for none. Names are checked when they are looked
 * up.
 */
export function findUrlFault(url: URL, { allowPrivate, allowHttp }: WebhookConfig): string | null {
  if (url.protocol !== 'https:' && !(allowHttp && url.protocol === 'http:')) return 'must begin with https://';
  // URL writes every form of an IPv4 address as four decimal numbers, and IPv6 in brackets.
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isAddress = url.hostname.startsWith('[') || /^[\d.]+$/.test(host);
  return isAddress && !allowPrivate && !isPublicAddress(host) ? privateAddress : null;
}

/**
 * The fault of an address, with a look-up of its name; null for none. A name that is not found now may be found when an
 * event is sent.
 * @param lookUp ends by itself, in a time that a caller can wait for
 */
export async function findAddressFault(url: URL, config: WebhookConfig, lookUp: LookUpAll): Promise<string | null> {
  const fault = findUrlFault(url, config);
  if (fault !== null || config.allowPrivate || url.hostname.startsWith('[')) return fault;
  const addresses = await lookUp(url.hostname, { all: true }).catch(() => []);
  return addresses.every(({ address }) => isPublicAddress(address)) ? null : privateAddress;
}
