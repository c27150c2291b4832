// Checks the values of options and arguments, before the database is opened.
import type { z } from 'zod';
import { emailValue, storedEmail } from '../fields/email.ts';
import { inNfc } from '../fields/text.ts';
import { UsageError } from '../../clients/cli/src/terminal/refusal.ts';

/** Parses the address of a new user to its stored spelling. @throws {UsageError} if the text is not an address */
export function newEmailAddress(text: string): string {
  return parseEmail(text.trim().toLowerCase(), emailValue);
}

/**
 * Parses the address that names a user: older users may have the same but for the case of letters, so that it stays as it is.
 * @throws {UsageError} if no user can have it
 */
export function emailAddress(text: string): string {
  return parseEmail(text.trim(), storedEmail);
}

/** An address as results repeat it: in the spelling that commands store. */
export function repeatedAddress(email: string): string {
  return email.toLowerCase();
}

function parseEmail(text: string, schema: z.ZodType<string>): string {
  const parsed = schema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new UsageError(`"${text}" is not an email address: give one such as ada@example.com.`);
}

/** Parses a name for display. @throws {UsageError} if the text is empty, too long, or has control characters */
export function displayName(text: string): string {
  const name = inNfc(text.trim());
  if (!isDisplayName(name)) {
    throw new UsageError('A name must have 1 to 255 characters, without line breaks and other control characters.');
  }
  return name;
}

/** Whether a text can be stored as a name for display. */
export function isDisplayName(name: string): boolean {
  return name !== '' && name === name.trim() && name.length <= 255 && !/\p{Cc}/u.test(name);
}

/** Collects the values of an option that may be given several times. */
export function collectValues(value: string, previous: readonly string[] = []): string[] {
  return [...previous, value];
}
