// Mutations of bytes: bodies that are cut, spoilt or packed, and messages that are no HTTP.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bytesOf, type Wire } from './request.ts';
import type { Random } from './random.ts';
import { messageOf } from './send.ts';

type Change = (wire: Wire, random: Random) => Wire;

/** Within 1 MiB when packed, far beyond when not. */
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' ')).toString('latin1');
const bodies = [
  ...[
    '',
    ' ',
    'null',
    '[]',
    '"x"',
    '1',
    'true',
    '{',
    '}',
    '{}x',
    '{"a":1,}',
    '{"a":1,"a":2}',
    '\ufeff{}',
    '{}\0',
    "{'a':1}",
  ],
  ...[
    '[{}]',
    '{"query":"{ channels { id } }"}',
    '{"title":"\\ud800"}',
    '{"title":"\\u0000"}',
    '{"a":1e999}',
    '{"__proto__":{"a":1}}',
  ],
  ...['['.repeat(50_000), '{"a":'.repeat(20_000), `{"a":${'1'.repeat(100_000)}}`, `[${'{},'.repeat(20_000)}{}]`],
  ...[`{"title":"${'x'.repeat(1_050_000)}"}`, `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
];

const packers: Record<string, (body: string) => string> = {
  gzip: (body) => gzipSync(Buffer.from(body, 'latin1')).toString('latin1'),
  deflate: (body) => deflateSync(Buffer.from(body, 'latin1')).toString('latin1'),
  br: (body) => brotliCompressSync(Buffer.from(body, 'latin1')).toString('latin1'),
};

const cutBody: Change = (wire, random) => ({
  ...wire,
  body: (wire.body ?? '').slice(0, random.upTo(wire.body?.length ?? 0)),
});
const otherBody: Change = (wire, random) => ({ ...wire, body: bytesOf(random.pick(bodies)) });
const spoiltBody: Change = (wire, random) => {
  let body = wire.body ?? '';
  for (let times = random.upTo(3); times >= 0; times -= 1) {
    const at = random.upTo(body.length);
    const bytes = random.pick([
      '\xff',
      '\xc0\xaf',
      '\xed\xa0\x80',
      '\0',
      '"',
      '\\',
      '}',
      '[',
      '\xf4\x90\x80\x80',
      '\x80',
      ',',
      '\\ud800',
    ]);
    body = body.slice(0, at) + bytes + body.slice(at + random.upTo(1));
  }
  return { ...wire, body };
};
const twiceBody: Change = (wire) => ({ ...wire, body: `${wire.body ?? ''}${wire.body ?? ''}` });
const packedBody: Change = (wire, random) => {
  const coding = random.pick(Object.keys(packers));
  const packed = packers[coding]?.(wire.body ?? '') ?? '';
  const body = random.pick([
    packed,
    packed,
    packed.slice(0, -3),
    `${packed.slice(0, 9)}x${packed.slice(10)}`,
    bomb,
    'plain',
  ]);
  return { ...wire, body, headers: [...wire.headers, ['Content-Encoding', coding]] };
};
/** A member that stands twice. */
const doubledMember: Change = (wire, random) => ({
  ...wire,
  body: (wire.body ?? '').replace(
    '{',
    random.pick(['{"title":1,', '{"_acl":{"*":{"read":true}},', '{"query":"{x}",', '{"__proto__":1,']),
  ),
});

/** Changes of the body's bytes. */
export const byteChanges: readonly (readonly [string, Change])[] = [
  ['cut body', cutBody],
  ['other body', otherBody],
  ['spoilt body', spoiltBody],
  ['spoilt body', spoiltBody],
  ['body twice', twiceBody],
  ['packed body', packedBody],
  ['doubled member', doubledMember],
];

const inHead = (message: string, change: (head: string) => string): string => {
  const end = message.indexOf('\r\n\r\n');
  return change(message.slice(0, end)) + message.slice(end);
};

/** What a message is made into that no client would send. */
const breakages: readonly ((message: string, random: Random) => string)[] = [
  (message, random) => message.slice(0, random.upTo(message.length)),
  (message) => message.replaceAll('\r\n', '\n'),
  (message) => message.replace(/Host: [^\r]*\r\n/, ''),
  (message) => inHead(message, (head) => head.replace(' HTTP/1.1', '')),
  (message, random) =>
    message.replace('HTTP/1.1', random.pick(['HTTP/1.0', 'HTTP/9.9', 'HTTP/2.0', 'HTTP/1.1x', 'http/1.1'])),
  (message, random) =>
    inHead(
      message,
      (head) => `${head}\r\nContent-Length: ${random.pick(['0', '5', '-1', '1e3', '99999999999', '0x10', ''])}`,
    ),
  (message) =>
    inHead(message, (head) => `${head.replace(/\r\nContent-Length: ~length~/, '')}\r\nTransfer-Encoding: chunked`),
  (message) => inHead(message, (head) => `${head}\r\nTransfer-Encoding: chunked`),
  (message) =>
    message.replace('Content-Length: ~length~', 'Transfer-Encoding: chunked').replace(/\r\n\r\n/, '\r\n\r\nzz\r\n'),
  (message) => message.replace('~length~', '999'),
  (message) => message.replace('~length~', '3'),
  (message, random) =>
    inHead(
      message,
      (head) => `${head}\r\n${random.pick(['X\0: y', ': y', 'no colon', ' folded', 'X : y', 'X: a\0b', 'X: \x7f'])}`,
    ),
  (message) => inHead(message, (head) => `${head}\r\nX-Big: ${'z'.repeat(40_000)}`),
  (message) => inHead(message, (head) => head.replace(/^(\S+) /, '$1 http://evil.example')),
  (message, random) =>
    inHead(message, (head) => head.replace(/^\S+/, random.pick(['CONNECT', 'PRI', '\0', 'GET GET', 'é', 'SEARCH']))),
  (message) => message.replace('Connection: close', 'Connection: keep-alive') + message,
  (message, random) => `${random.pick(['\r\n\r\n', '\0\0\0\0', '\x16\x03\x01\x02\x00', 'x', ' '])}${message}`,
  (message, random) =>
    [...message].map((byte) => (random.chance(0.01) ? String.fromCharCode(random.upTo(255)) : byte)).join(''),
];

/** A message that is broken as a whole. */
export function broken(wire: Wire, random: Random): Wire {
  const small = (wire.body?.length ?? 0) > 20_000 ? { ...wire, body: (wire.body ?? '').slice(0, 20_000) } : wire;
  return { ...small, raw: random.pick(breakages)(messageOf(small), random) };
}
