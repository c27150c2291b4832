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

/**
 * Makes the holder that a request comes from.
 * @param token the token's id, and its secret, which the database does not have
 * @param sessionToken empty without a session
 */
export function makeKeyHolder(
  token: { readonly id: string; readonly secret: string },
  sessionToken: string,
): KeyHolder {
  const secretKey = createHash('sha256').update('stored response').update(token.secret).digest();
  return {
    fingerprint: new Uint8Array(createHash('sha256').update(`${token.id} ${sessionToken}`).digest()),
    seal: (text) => {
      const nonce = randomBytes(nonceBytes);
      const encryption = createCipheriv(cipher, secretKey, nonce);
      const parts = [nonce, encryption.update(text, 'utf8'), encryption.final(), encryption.getAuthTag()];
      return prefix + Buffer.concat(parts).toString('base64');
    },
    unseal: (sealed) => {
      if (!sealed.startsWith(prefix)) return sealed;
      const bytes = Buffer.from(sealed.slice(prefix.length), 'base64');
      const decryption = createDecipheriv(cipher, secretKey, bytes.subarray(0, nonceBytes));
      decryption.setAuthTag(bytes.subarray(-tagBytes));
      return decryption.update(bytes.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decryption.final('utf8');
    },
  };
}
