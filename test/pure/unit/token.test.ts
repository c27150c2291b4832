// Tokens: their shape, their checksum, and that no log line holds one.
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { mintToken, readToken } from '../../../src/auth/tokens.ts';
import { redactTokens } from '../../../src/base/redaction.ts';
import { createLog } from '../../../src/base/log.ts';

test.each(['master', 'public', 'user', 'session'] as const)('a %s token shows its kind, and is parsed', (kind) => {
  const { token, hash } = mintToken(kind);
  expect(token).toMatch(new RegExp(`^ew_${kind}_[0-9A-Za-z]{49}$`));
  expect(readToken(token)).toEqual({ kind, hash: Buffer.from(hash).toString('hex') });
  expect(Buffer.from(hash)).toEqual(createHash('sha256').update(token).digest());
});

test('no two tokens are alike', () => {
  const tokens = new Set(Array.from({ length: 1000 }, () => mintToken('public').token));
  expect(tokens.size).toBe(1000);
});

test('a token with any one character mistyped is refused without a look-up', () => {
  const { token } = mintToken('master');
  for (let index = 0; index < token.length; index += 1) {
    const typed = token[index] === 'x' ? 'y' : 'x';
    expect(readToken(token.slice(0, index) + typed + token.slice(index + 1))).toBeNull();
  }
});

test.each(['', 'ew_master_', 'Bearer', `${mintToken('user').token} `, `${mintToken('user').token}\n`, 'ew_root_abc'])(
  '%j is not parsed as a token',
  (text) => {
    expect(readToken(text)).toBeNull();
  },
);

test.each([
  ['as it is', (token: string) => token],
  ['cut', (token: string) => token.slice(0, 40)],
  ['encoded in part', (token: string) => token.replaceAll('_', '%5F').replace('s', '%73')],
  ['in each character', (token: string) => token.replace(/./g, (char) => `%${char.charCodeAt(0).toString(16)}`)],
  ['thrice', (token: string) => encodeURIComponent(encodeURIComponent(token.replaceAll('_', '%5f')))],
])('redaction leaves only the kind of a token in a text, %s', (_name, written) => {
  const { token } = mintToken('session');
  const text = redactTokens(`\\n${written(token)} %zz 100 %`);
  expect(text).toMatch(/^\\new_session_\[redacted\]\S* %zz 100 %$/);
  expect(text).not.toContain(token.slice(-20));
});

test('redaction leaves a text without tokens unchanged', () => {
  const text = 'ew_master_plan renew_user_%20 %65w_%25';
  expect(redactTokens(text)).toBe(text);
});

test('a log line has only the kind of a token, wherever it occurs', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line: string) => void lines.push(line) });
  const { token } = mintToken('session');
  log.info({ path: `/channels/${token}`, [token]: 1, err: new Error(`bad ${token}`) }, `see ${token}`);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain('ew_session_[redacted]');
  expect(lines[0]).not.toContain(token.slice('ew_session_'.length));
});
