// The rules for the settings of a provider (docs/contract.md §14.8), for commands and their calls.
import { foldAscii, isMailDomain } from '../../../fields/email.ts';

/** The most domains of a provider. */
export const maxDomains = 50;

const maxIssuerLength = 2_048;
/** RFC 6749, appendix A: what a client's id and its secret consist of. */
const clientIdShape = /^[\x21-\x7e]{1,255}$/;
const clientSecretShape = /^[\x20-\x7e]{1,1024}$/;

/** The hosts of this machine, to which nothing goes over a network. */
const ownHosts: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Whether a URL may be asked: over https, or on this machine. */
export function isSafeUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && ownHosts.has(hostname));
}

/** Says why a text cannot be the issuer of a provider; null if it can (OpenID Connect Discovery 1.0, section 3). */
export function findIssuerFault(text: string): string | null {
  if (text.length > maxIssuerLength || !URL.canParse(text) || text !== text.trim())
    return 'must be an absolute URL, such as https://id.example.com';
  const url = new URL(text);
  if (!isSafeUrl(url)) return 'must begin with https: plain http is for localhost alone';
  if (url.username !== '' || url.password !== '' || /[?#]/.test(text))
    return 'must have neither a user, a query nor a fragment';
  if (text.includes('/.well-known/')) return 'must be the issuer itself, without /.well-known/ and what follows';
  return null;
}

/** Whether a text can be the id of a client. */
export function isClientId(text: string): boolean {
  return clientIdShape.test(text);
}

/** Whether a text can be the secret of a client. */
export function isClientSecret(text: string): boolean {
  return clientSecretShape.test(text);
}

/** Whether a text is a domain as providers have it: in lower case. */
export function isDomain(text: string): boolean {
  return foldAscii(text) === text && isMailDomain(text);
}
