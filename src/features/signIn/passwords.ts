// Passwords (docs/contract.md §14.8): the rule for new ones, and their hashes by scrypt, each stored with its parameters.
import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { countCharacters, inNfc, isLongerThan } from '../../fields/text.ts';
import { foldAscii } from '../../fields/email.ts';

/** The parameters of scrypt (RFC 7914 §2), N as its binary logarithm. */
interface Parameters {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
}

/** The parameters of new hashes. Where they rise, a user's hash is renewed at the next sign-in. */
const currentParameters: Parameters = { ln: 15, r: 8, p: 3 };
const saltBytes = 16;
const hashBytes = 32;
const maxMemory = 64 * 1024 * 1024;

/** The bounds of new passwords, in characters. */
const minLength = 12;
const maxLength = 256;

/** The form of a stored hash: that of PHC strings. */
const storedShape = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/;

/** Finds the fault of a new password; null for none. @param email the address of its user */
export function findPasswordFault(password: string, email: string): string | null {
  const normal = inNfc(password);
  if (isLongerThan(normal, maxLength)) return `must have at most ${maxLength} characters`;
  if (countCharacters(normal) < minLength) return `must have at least ${minLength} characters`;
  if (!/^\P{Cs}*$/u.test(normal)) return 'must be Unicode text';
  return foldAscii(normal) === foldAscii(inNfc(email)) ? 'must not be the address' : null;
}

/** Hashes a new password. @returns the text to store */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes);
  const { ln, r, p } = currentParameters;
  const hash = await derive(password, salt, currentParameters);
  return `$scrypt$ln=${ln},r=${r},p=${p}$${toText(salt)}$${toText(hash)}`;
}

/**
 * Whether a password is the one of a stored hash.
 * @param stored null for none: then it takes the same time, and the answer is false
 */
export async function isPasswordOf(password: string, stored: string | null): Promise<boolean> {
  const { parameters, salt, hash } = stored === null ? noHash : parseStored(stored);
  const derived = await derive(password, salt, parameters);
  return timingSafeEqual(derived, hash) && stored !== null;
}

/** Whether a stored hash was made with lower parameters than new ones are. */
export function isOutdatedHash(stored: string): boolean {
  const { ln, r, p } = parseStored(stored).parameters;
  return ln < currentParameters.ln || r < currentParameters.r || p < currentParameters.p;
}

/** Whether a text has the form of a stored hash. */
export function isStoredHash(text: string): boolean {
  return storedShape.test(text);
}

interface StoredHash {
  readonly parameters: Parameters;
  readonly salt: Buffer;
  readonly hash: Buffer;
}

/** Stands in for the hash of a user without a password, and of a user who does not exist. */
const noHash: StoredHash = {
  parameters: currentParameters,
  salt: randomBytes(saltBytes),
  hash: randomBytes(hashBytes),
};

/** @throws Error if the text was not stored by `hashPassword` */
function parseStored(stored: string): StoredHash {
  const [, ln, r, p, salt = '', hash = ''] = storedShape.exec(stored) ?? [];
  if (ln === undefined) throw new Error('A stored password has no known form.');
  return {
    parameters: { ln: Number(ln), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt, 'base64'),
    hash: Buffer.from(hash, 'base64'),
  };
}

function derive(password: string, salt: Buffer, { ln, r, p }: Parameters): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    scrypt(inNfc(password), salt, hashBytes, { N: 2 ** ln, r, p, maxmem: maxMemory }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

/** Base64 without padding, as PHC strings have it. */
function toText(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
