// The tokens themselves (docs/contract.md §2): 256 random bits behind a prefix that shows the kind, and a checksum, so that
// leaked ones can be found and mistyped ones refused without a look-up.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenKinds } from '../redaction.ts';

export type TokenKind = (typeof tokenKinds)[number];

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^ew_(${tokenKinds.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** A new token of a kind. The token is to be shown once; only its hash is stored. */
export function mintToken(kind: TokenKind): { token: string; hash: Uint8Array<ArrayBuffer> } {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const unchecked = `ew_${kind}_${secret}`;
  const token = unchecked + checksum(unchecked);
  return { token, hash: hashToken(token) };
}

/** The kind and hash of a well-formed token, or null where its shape or checksum is wrong. */
export function readToken(text: string): { kind: TokenKind; hash: Uint8Array<ArrayBuffer> } | null {
  const kind = shape.exec(text)?.[1] as TokenKind | undefined;
  if (kind === undefined) return null;
  if (checksum(text.slice(0, -checksumLength)) !== text.slice(-checksumLength)) return null;
  return { kind, hash: hashToken(text) };
}

/** SHA-256 of a token: what is stored. A plain hash does, since a token has 256 random bits. */
function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), checksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text;
  return text;
}
