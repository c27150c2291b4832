// Checks values of the command line, before the database is opened.
import { emailInput } from '../inputs/email.ts';
import { handleRule, isHandle } from '../rules/names.ts';
import { UsageError } from './run.ts';

/** The id of a site. @throws {UsageError} where no site can have it */
export function siteId(text: string): string {
  if (!isHandle(text)) throw new UsageError(`"${text}" can't be a site's id: it ${handleRule}.`);
  return text;
}

/** An email address in the one spelling that is stored. @throws {UsageError} where a text is not an address */
export function emailAddress(text: string): string {
  const email = text.trim().toLowerCase();
  if (!emailInput.safeParse(email).success) {
    throw new UsageError(`"${text}" is not an email address: give one such as ada@example.com.`);
  }
  return email;
}

/** A name to be shown to people. @throws {UsageError} where a text is empty, too long, or holds control characters */
export function displayName(text: string): string {
  const name = text.trim();
  if (!isDisplayName(name)) {
    throw new UsageError('A name must have 1 to 255 characters, without line breaks and other control characters.');
  }
  return name;
}

/** Whether a text can be a name to be shown to people, as it is stored. */
export function isDisplayName(name: string): boolean {
  return name !== '' && name === name.trim() && name.length <= 255 && !/\p{Cc}/u.test(name);
}
