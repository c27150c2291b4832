// Mutations of a body's bytes: cut, spoilt, packed, or another.
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { bytesOf, type Wire } from './request.ts';
import type { Random } from '../../support/random.ts';
import { words } from '../../support/words.ts';

type Change = (wire: Wire, random: Random) => Wire;

/** Within 1 MiB when packed, far beyond when not. */
const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' ')).toString('latin1');
/** Whole bodies: one by one they are tried in test/once/hostile/bodies.test.ts, and here in every circumstance. */
const bodies = [
  ...['', ' ', '\ufeff{}', '{}\0', '{"query":"{ channels { id } }"}'],
  ...words(
    'null [] "x" 1 true { } {}x {"a":1,} {"a":1,"a":2} [{}] {"title":"\\ud800"} {"a":1e999} {"__proto__":{"a":1}}',
  ),
  ...['['.repeat(50_000), '{"a":'.repeat(20_000), `{"a":${'1'.repeat(100_000)}}`, `[${'{},'.repeat(20_000)}{}]`],
  ...[`{"title":"${'x'.repeat(1_050_000)}"}`, `{${Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',')}}`],
];

const packers: Record<string, (body: string) => string> = {
  gzip: (body) => gzipSync(Buffer.from(body, 'latin1')).toString('latin1'),
  deflate: (body) => deflateSync(Buffer.from(body, 'latin1')).toString('latin1'),
  br: (body) => brotliCompressSync(Buffer.from(body, 'latin1')).toString('latin1'),
};

const oddBytes = ['\xff', '\xc0\xaf', '\xed\xa0\x80', '\0', '\xf4\x90\x80\x80', '\x80'];

const cutBody: Change = (wire, random) => ({
  ...wire,
  body: (wire.body ?? '').slice(0, random.upTo(wire.body?.length ?? 0)),
});
const otherBody: Change = (wire, random) => ({ ...wire, body: bytesOf(random.pick(bodies)) });
const spoiltBody: Change = (wire, random) => {
  let body = wire.body ?? '';
  for (let times = random.upTo(3); times >= 0; times -= 1) {
    const at = random.upTo(body.length);
    const bytes = random.pick([...words('" \\ } [ , \\ud800'), ...oddBytes]);
    body = body.slice(0, at) + bytes + body.slice(at + random.upTo(1));
  }
  return { ...wire, body };
};
const twiceBody: Change = (wire) => ({ ...wire, body: `${wire.body ?? ''}${wire.body ?? ''}` });
const packedBody: Change = (wire, random) => {
  const coding = random.pick(Object.keys(packers));
  const packed = packers[coding]?.(wire.body ?? '') ?? '';
  const broken = [packed.slice(0, -3), `${packed.slice(0, 9)}x${packed.slice(10)}`, bomb, 'plain'];
  const body = random.chance(0.4) ? packed : random.pick(broken);
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
