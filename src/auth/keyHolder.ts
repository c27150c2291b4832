// The owner of an Idempotency-Key: one token with one session (docs/contract.md §5.11). Responses that are kept for it
// are encrypted, because some hold the secret of a new token, of which the database otherwise stores only the hash.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** The holder of keys. */
export interface KeyHolder {
  /** Distinguishes holders: SHA-256 of the token's id and the session token. */
  readonly fingerprint: Uint8Array<ArrayBuffer>;
  /** Encrypts a text, so that only requests with the same token can read it (AES-256-GCM). */
  readonly seal: (text: string) => string;
  /** Decrypts what `seal` returned. @throws Error for any other text with the same prefix */
  readonly unseal: (sealed: string) => string;
}

const cipher = 'aes-256-gcm';
/**
 * The beginning of a sealed text. Bodies from before the encryption was added are JSON or empty, and never begin so.
 */
const prefix = 'sealed:';
const nonceBytes = 12;
const tagBytes = 16;

/** Encrypts the key of a sign-in with one of its tokens, whose row keeps it (docs/contract.md §14.8). */
export function sealKey(key: string, token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(encryptText(keyFrom('key of a sign-in', token), key));
}

/** Decrypts what `sealKey` returned. @throws Error for any other token */
export function unsealKey(sealed: Uint8Array, token: string): string {
  return decryptText(keyFrom('key of a sign-in', token), Buffer.from(sealed));
}

/**
 * Makes the holder that a request comes from.
 * @param token the token's id, and its secret, which the database does not have; of a token of a sign-in: the id and the key of that
 *   sign-in, so that all of its tokens are one holder
 * @param sessionToken empty without a session
 */
export function makeKeyHolder(
  token: { readonly id: string; readonly secret: string },
  sessionToken: string,
): KeyHolder {
  const secretKey = keyFrom('stored response', token.secret);
  return {
    fingerprint: new Uint8Array(createHash('sha256').update(`${token.id} ${sessionToken}`).digest()),
    seal: (text) => prefix + encryptText(secretKey, text).toString('base64'),
    unseal: (sealed) =>
      sealed.startsWith(prefix) ? decryptText(secretKey, Buffer.from(sealed.slice(prefix.length), 'base64')) : sealed,
  };
}

function keyFrom(purpose: string, secret: string): Buffer {
  return createHash('sha256').update(purpose).update(secret).digest();
}

/** Encrypts a text. @param key of 32 bytes */
export function encryptText(key: Uint8Array, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const encryption = createCipheriv(cipher, key, nonce);
  return Buffer.concat([nonce, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()]);
}

/** Decrypts what `encryptText` returned. @throws Error if the bytes were not encrypted with the key */
export function decryptText(key: Uint8Array, bytes: Buffer): string {
  const decryption = createDecipheriv(cipher, key, bytes.subarray(0, nonceBytes));
  decryption.setAuthTag(bytes.subarray(-tagBytes));
  return decryption.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
}
