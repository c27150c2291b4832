// Tells the hash of a token from what stands in its place where nobody has the token: that of an imported one.

/** The bytes of a SHA-256. */
const hashLength = 32;
/** One byte more than any hash has: no token can ever match it. */
export const noHashLength = hashLength + 1;

/** Whether some token has the hash. */
export function isTokenHash(hash: Uint8Array): boolean {
  return hash.length === hashLength;
}
