// Values that people give on the command line, checked before the database is opened.
import { emailInput } from '../inputs/email.ts';
import { handleRule, isHandle } from '../rules/names.ts';
import { Refusal } from './run.ts';

/** @throws {Refusal} where a text is no id that a site can have */
export function siteId(text: string): string {
  if (!isHandle(text)) throw new Refusal(`"${text}" can't be a site's id: it ${handleRule}.`);
  return text;
}

/** An email address in the one spelling that is stored. @throws {Refusal} where a text is none */
export function emailAddress(text: string): string {
  const email = text.trim().toLowerCase();
  if (!emailInput.safeParse(email).success) {
    throw new Refusal(`"${text}" is not an email address: give one such as ada@example.com.`);
  }
  return email;
}

/** A name for people. @throws {Refusal} where a text is empty, too long, or not all printable */
export function displayName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > 255 || /\p{Cc}/u.test(name)) {
    throw new Refusal('A name has 1 to 255 characters, and no line breaks or other control characters.');
  }
  return name;
}
