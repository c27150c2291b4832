// Access tokens that are none, at every door: each answer, and that those which must not differ do not (docs/contract.md §2).
import { createHash } from 'node:crypto';
import { describe, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import { send } from '../../support/as.ts';
import { bearer, expectRefusedAlike, json, list, mistyped, query } from '../../support/callers.ts';
import type { Cast, Headers, Row } from '../../support/callers.ts';
import { suiteCast } from './refusedCredentials.ts';
import { expectGraphqlRefused, expectRestRefused } from '../../support/refused.ts';

const { app, cast, expectAllowed, expectNothingDone } = await suiteCast();

/** Rows of which nobody may tell one from another. */
function describeAlike(name: string, rows: Row[]): void {
  describe(name, () => {
    test.each(rows)('a request with bad credentials is refused: %s', (...row) =>
      expectRefusedAlike(app, cast, row, rows[0]),
    );
  });
}

const nobody = [401, 'unauthenticated'] as const;

describeAlike('no access token: 401, one and the same', [
  ['none', () => ({}), ...nobody],
  ['an empty header', () => ({ Authorization: '' }), ...nobody],
  ['"Bearer" alone', () => ({ Authorization: 'Bearer' }), ...nobody],
  ['"Bearer " alone', () => ({ Authorization: 'Bearer ' }), ...nobody],
  ['the token without its scheme', ({ token }) => ({ Authorization: token }), ...nobody],
  ['Basic with the token', ({ token }) => ({ Authorization: `Basic ${token}` }), ...nobody],
  ['Basic as browsers send it', ({ token }) => ({ Authorization: `Basic ${btoa(`${token}:`)}` }), ...nobody],
  ['Token', ({ token }) => ({ Authorization: `Token ${token}` }), ...nobody],
  ['Digest', () => ({ Authorization: 'Digest username="a", realm="b", response="c"' }), ...nobody],
  ['no space', ({ token }) => ({ Authorization: `Bearer${token}` }), ...nobody],
  ['a tab', ({ token }) => ({ Authorization: `Bearer\t${token}` }), ...nobody],
  ['a session alone', ({ session }) => ({ 'Session-Token': session }), ...nobody],
  ['in a cookie', ({ token }) => ({ Cookie: `token=${token}; Authorization=Bearer ${token}` }), ...nobody],
  ['for a proxy', ({ token }) => ({ 'Proxy-Authorization': `Bearer ${token}` }), ...nobody],
  ['in a header of another name', ({ token }) => ({ 'X-Access-Token': token, 'X-Api-Key': token }), ...nobody],
]);

describeAlike('an access token of another form or checksum: 401, one and the same', [
  ['something behind it', ({ token }) => bearer(`${token} x`), ...nobody],
  ['two in one header', ({ token }) => bearer(`${token}, Bearer ${token}`), ...nobody],
  ['two headers', ({ token, master }) => ({ Authorization: [`Bearer ${token}`, `Bearer ${master}`] }), ...nobody],
  ['twice the same header', ({ token }) => ({ Authorization: [`Bearer ${token}`, `Bearer ${token}`] }), ...nobody],
  ['a good one, then a bad one', ({ token }) => ({ Authorization: [`Bearer ${token}`, 'Basic x'] }), ...nobody],
  ['in quotes', ({ token }) => bearer(`"${token}"`), ...nobody],
  ['a comma', ({ token }) => bearer(`${token},`), ...nobody],
  ['a space that is none', ({ token }) => bearer(`${token}\u00a0`), ...nobody],
  ['an encoded NUL', ({ token }) => bearer(`${token}%00`), ...nobody],
  ['an encoded line end', ({ token }) => bearer(`${token}%0d%0a`), ...nobody],
  ['mistyped', ({ token }) => bearer(mistyped(token)), ...nobody],
  ['cut', ({ token }) => bearer(token.slice(0, -1)), ...nobody],
  ['in capitals', ({ token }) => bearer(token.toUpperCase()), ...nobody],
  ['of another kind by its prefix', ({ token }) => bearer(token.replace('public', 'master')), ...nobody],
  ['the prefix alone', () => bearer('ew_public_'), ...nobody],
  ['10 kB', () => bearer('x'.repeat(10_000)), ...nobody],
  ['10 kB behind a prefix', () => bearer(`ew_public_${'x'.repeat(10_000)}`), ...nobody],
  ['null', () => bearer('null'), ...nobody],
  ['undefined', () => bearer('undefined'), ...nobody],
  ['a JWT without a signature', () => bearer('eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.'), ...nobody],
  ['an injection', () => bearer("ew_public_'--"), ...nobody],
  ['its hash', ({ token }) => bearer(createHash('sha256').update(token).digest('hex')), ...nobody],
]);

describeAlike('an access token that does not hold: 401, one and the same', [
  ['unknown', () => bearer(mintToken('master').token), ...nobody],
  ['unknown, a user’s', () => bearer(mintToken('user').token), ...nobody],
  ['revoked', ({ revoked }) => bearer(revoked), ...nobody],
  ['deleted', ({ deleted }) => bearer(deleted), ...nobody],
  ['a session’s', ({ session }) => bearer(session), ...nobody],
]);

describeAlike('an access token that has expired: 401, for its holder', [
  ['expired', ({ expired }) => bearer(expired), ...nobody],
]);

describe('a token in another part of the request: 401', () => {
  const names = ['token', 'access_token', 'authorization', 'Authorization', 'session_token', 'api_key'];
  test.each(names)('a token in the URL is no credential: %s', async (name) => {
    const answer = await send(app, 'GET', `${list}?${name}=${cast.master}`);
    expectRestRefused(answer, ...nobody);
    expectGraphqlRefused(await send(app, 'POST', `/graphql?${name}=${cast.master}`, { headers: json }), ...nobody);
  });

  test.each(names)('a token in the body is no credential: %s', async (name) => {
    const body = JSON.stringify({ [name]: cast.master, query });
    expectRestRefused(await send(app, 'POST', list, { headers: json, body }), ...nobody);
    expectGraphqlRefused(await send(app, 'POST', '/graphql', { headers: json, body }), ...nobody);
  });

  test('a caller without credentials gets 401 for a malformed body or URL, too', async () => {
    for (const [path, body] of [
      ['/graphql', '{'],
      ['/graphql', ''],
      ['/graphql', '{"query": "{ secrets }"}'],
      ['/graphql?use_acl=maybe', '{}'],
    ] as const) {
      expectGraphqlRefused(await send(app, 'POST', path, { headers: json, body }), ...nobody);
    }
  });
});

describe('allowed', () => {
  test.each<[what: string, headers: (cast: Cast) => Headers]>([
    ['bearer', ({ token }) => ({ Authorization: `bearer ${token}` })],
    ['BEARER', ({ token }) => ({ Authorization: `BEARER ${token}` })],
    ['two spaces', ({ token }) => ({ Authorization: `Bearer  ${token}` })],
    ['a cookie, besides', ({ token }) => ({ ...bearer(token), Cookie: 'token=nonsense' })],
  ])('a request with a valid token is answered: %s', (_what, headersOf) => expectAllowed(headersOf(cast)));
});

test('the refused requests have changed nothing', () => expectNothingDone());
