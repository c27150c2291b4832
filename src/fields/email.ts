// The schema of email addresses, as a field's value, of a customer or of a user (docs/contract.md §6.3).
import { isIPv4 } from 'node:net';
import { domainToASCII } from 'node:url';
import { z } from 'zod';
import { findInvisible } from '../rules/visibleText.ts';
import { inNfc, isLongerThan, lineOfText, upTo } from './text.ts';

/** In characters. */
export const maxEmailLength = 320;
/** Maximum length of the local part in bytes of UTF-8 (RFC 5321 §4.5.3.1.1). */
const maxLocalBytes = 64;
const maxDomainLength = 253;

/** Atoms joined by single dots (RFC 5321 §4.1.2), with any characters beyond ASCII (RFC 6531 §3.3). */
const localPart = /^[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+(\.[\w!#$%&'*+/=?^`{|}~\u0080-\u{10ffff}-]+)*$/u;
/** Characters of a host. The parser of URLs would accept a text like `a:1/b`, which is more than a host. */
const hostCharacters = /^[\w.\u0080-\u{10ffff}-]+$/u;
/** The labels of a host in ASCII. */
const asciiLabels = /^[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/;
/** Joiners, which the spelling of some scripts requires. In a host, UTS 46 allows them in those scripts alone. */
const joiners = /[\u200c\u200d]/g;

/**
 * Whether a text has the form of an email address of RFC 5321, or of RFC 6531 with characters beyond ASCII, without
 * quotes and without IP addresses. Only delivery proves that an address exists.
 */
function isEmailAddress(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && isLocalPart(text.slice(0, at)) && isMailDomain(text.slice(at + 1));
}

function isLocalPart(text: string): boolean {
  return Buffer.byteLength(text) <= maxLocalBytes && localPart.test(text) && findInvisible(text) === null;
}

/** Whether a text is a host name that a URL can have (WHATWG URL, UTS 46). A name without a dot is accepted. */
export function isMailDomain(text: string): boolean {
  if (!hostCharacters.test(text) || findInvisible(text.replace(joiners, '')) !== null) return false;
  const ascii = domainToASCII(text);
  return ascii.length <= maxDomainLength && asciiLabels.test(ascii) && !isIPv4(ascii);
}

/**
 * A text with the ASCII letters in lower case: addresses are the same where they differ in nothing else (docs/contract.md §14.8). An
 * index of the database has the same form of users' addresses.
 */
export function foldAscii(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

const wrongAddress = 'must be an email address, such as ada@example.com';

/**
 * Makes the schema of an email address.
 * @param before the current address, which may be sent back even if it was stored under an earlier rule; null if there
 * is none
 */
export function emailSchema(before: string | null): z.ZodType<string, string> {
  const current = before === null ? null : inNfc(before);
  return upTo(lineOfText(wrongAddress), maxEmailLength)
    .refine((text) => text === current || isLongerThan(text, maxEmailLength) || isEmailAddress(text), wrongAddress)
    .meta({ format: 'idn-email' });
}

/** The schema of a new email address. */
export const emailValue = emailSchema(null);

/**
 * The schema of an address that looks up a customer or user. Older releases stored any text with an @ in the middle.
 */
export const storedEmail = upTo(z.string(wrongAddress), maxEmailLength).regex(/^[^\s@]+@[^\s@]+$/, wrongAddress);
