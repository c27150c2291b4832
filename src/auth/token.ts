// The tokens themselves (contract §2): 256 random bits behind a prefix that shows the kind, and a checksum, so that
// leaked ones can be found and mistyped ones refused without a look-up.
import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const kinds = ['master', 'public', 'user', 'session'] as const;
export type TokenKind = (typeof kinds)[number];

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^ew_(${kinds.join('|')})_[0-9A-Za-z]{${secretLength + checksumLength}}$`);

/** Anything in a text that could be a token of ours, whole or cut, as it is or percent-encoded, however often. */
export const tokenPattern = new RegExp(
  `${encodable('ew_')}(${kinds.map(encodable).join('|')})${encodable('_')}` +
    '(?:[0-9A-Za-z]|%(?:25)*(?:3[0-9]|[46][1-9A-Fa-f]|[57][0-9Aa])){16,}',
  'g',
);

/** A text whose tokens, wherever they stand in it, are cut to the prefix that shows their kind. */
export function withoutTokens(text: string): string {
  const plain = (kind: string): string => decodeURIComponent(kind.replace(/%(?:25)+/g, '%'));
  return text.replace(tokenPattern, (_token, kind: string) => `ew_${plain(kind)}_[redacted]`);
}

/** A pattern of a text each of whose characters may be percent-encoded, even that again. */
function encodable(text: string): string {
  const digit = (each: string): string => `[${each}${each.toUpperCase()}]`;
  const codeOf = (char: string): string => char.charCodeAt(0).toString(16).replace(/[a-f]/, digit);
  return text.replace(/./g, (char) => `(?:${char}|%(?:25)*${codeOf(char)})`);
}

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
