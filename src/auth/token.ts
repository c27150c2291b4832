// Tokens (docs/contract.md §2): 256 random bits between a prefix that shows the kind and a checksum. Secret scanners can find
// leaked tokens by the prefix, and a mistyped token is refused by its checksum, without a look-up.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { tokenKinds } from '../redaction.ts';

/** The kinds of tokens, those of sessions included. */
export type MintableKind = (typeof tokenKinds)[number];

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const tokenChecksumLength = 6;
const tokenShape = new RegExp(`^ew_(${tokenKinds.join('|')})_[0-9A-Za-z]{${secretLength + tokenChecksumLength}}$`);

/** Makes a token. It is shown to its owner once; only its hash is stored. */
export function mintToken(kind: MintableKind): { token: string; hash: Uint8Array<ArrayBuffer> } {
  const secret = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretLength);
  const unchecked = `ew_${kind}_${secret}`;
  const token = unchecked + checksum(unchecked);
  return { token, hash: hashToken(token) };
}

/** The kind and hash of a token; null if its form or its checksum is wrong. */
export function readToken(text: string): { kind: MintableKind; hash: Uint8Array<ArrayBuffer> } | null {
  const kind = tokenShape.exec(text)?.[1] as MintableKind | undefined;
  if (kind === undefined) return null;
  if (checksum(text.slice(0, -tokenChecksumLength)) !== text.slice(-tokenChecksumLength)) return null;
  return { kind, hash: hashToken(text) };
}

/** The SHA-256 of a token, which is what is stored. With 256 random bits a token needs neither salt nor a slow hash. */
function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(createHash('sha256').update(token).digest());
}

function checksum(text: string): string {
  return base62(BigInt(crc32(text)), tokenChecksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text;
}
