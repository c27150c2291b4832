// Checks values of the command line, before the database is opened.
import type { z } from 'zod';
import { emailValue, storedEmail } from '../fields/email.ts';
import { inNfc } from '../fields/text.ts';
import { UsageError } from '../../clients/cli/src/terminal/refusal.ts';

/** The address of a new user, in the one spelling that is stored. @throws {UsageError} where a text is not an address */
export function newEmailAddress(text: string): string {
  return parseEmail(text, emailValue);
}

/** The address by which a user is named, in the same spelling. @throws {UsageError} where no user can have it */
export function emailAddress(text: string): string {
  return parseEmail(text, storedEmail);
}

function parseEmail(text: string, schema: z.ZodType<string>): string {
  const parsed = schema.safeParse(text.trim().toLowerCase());
  if (parsed.success) return parsed.data;
  throw new UsageError(`"${text}" is not an email address: give one such as ada@example.com.`);
}

/** A name to be shown to people. @throws {UsageError} where a text is empty, too long, or holds control characters */
export function displayName(text: string): string {
  const name = inNfc(text.trim());
  if (!isDisplayName(name)) {
    throw new UsageError('A name must have 1 to 255 characters, without line breaks and other control characters.');
  }
  return name;
}

/** Whether a text can be a name to be shown to people, as it is stored. */
export function isDisplayName(name: string): boolean {
  return name !== '' && name === name.trim() && name.length <= 255 && !/\p{Cc}/u.test(name);
}
