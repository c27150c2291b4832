// Short ids, made at random: 62^10 of them, so that two hardly ever meet, and the database tells if they do.
import { customAlphabet } from 'nanoid';
import { isShortId } from '../../rules/slug.ts';

const digits = '0123456789';
const lower = 'abcdefghijklmnopqrstuvwxyz';
const randomText = customAlphabet(`${digits}${lower}${lower.toUpperCase()}`, 10);

/** A new short id: ten letters and digits, at least one a capital. */
export function newShortId(): string {
  let shortId = randomText();
  while (!isShortId(shortId)) shortId = randomText();
  return shortId;
}
