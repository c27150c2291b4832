// What no answer may hold, whatever was asked.
import { expect } from '@jest/globals';
import type { RestAnswer } from './as.ts';

/** A token or its hash, SQL, a stack, a place or a name of the inside. */
const inner = new RegExp(
  [
    String.raw`ew_(master|public|user|session|signin|browser|link)_\w{20}`,
    String.raw`\\x[0-9a-f]{32}`,
    String.raw`\b(SELECT|INSERT|UPDATE|DELETE) .*\b(FROM|INTO|SET)\b`,
    String.raw`\bat \w+.* \(`,
    String.raw`node_modules|/src/|\.ts:\d`,
    'prisma|pglite|postgres|SQLSTATE|relation "|syntax error at',
  ].join('|'),
  'i',
);

/**
 * Expects an answer that is no fault, and tells nothing of the inside.
 * @param sent what may stand in it because it was sent
 */
export function expectClean(what: unknown, { status, text }: RestAnswer<unknown>, sent = ''): void {
  // A sort is told by its keys.
  const echoes = [sent, ...sent.split(',')].map((part) => JSON.stringify(part).slice(1, -1)).filter(Boolean);
  const told = echoes.reduce((rest, echo) => rest.replaceAll(echo, ''), text);
  expect([what, status < 500, inner.exec(told)?.[0]]).toEqual([what, true, undefined]);
}
