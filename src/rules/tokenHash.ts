// Distinguishes the hash of a token from the placeholder that an imported session or token has, which no token matches.

/** The bytes of a SHA-256. */
const hashLength = 32;
/** One byte longer than a hash: no token can ever match it. */
export const noHashLength = hashLength + 1;

/** Whether bytes are the hash of a token. */
export function isTokenHash(hash: Uint8Array): boolean {
  return hash.length === hashLength;
}
