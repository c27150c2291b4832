// Sessions and sites that a caller may not name, at every door: each answer, and that those which must not differ do not
// (docs/contract.md §2).
import { describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import { bearer, expectRefusedAlike, doors, mistyped, refusedBy } from '../../support/callers.ts';
import type { Cast, Headers, Row } from '../../support/callers.ts';
import { suiteCast } from './refusedCredentials.ts';

const { app, cast, expectAllowed, expectNothingDone } = await suiteCast();

/** Rows of which nobody may tell one from another. */
function describeAlike(name: string, rows: Row[]): void {
  describe(name, () => {
    test.each(rows)('a request with bad session or site headers is refused: %s', (...row) =>
      expectRefusedAlike(app, cast, row, rows[0]),
    );
  });
}

const minted = mintToken('session').token;
const nobody = [401, 'unauthenticated'] as const;
const both = (token: string, session: string | string[]): Headers => ({ ...bearer(token), 'Session-Token': session });
const longer = (token: string, session: string): Headers => ({
  ...bearer(token),
  'X-Service-Session-Token': session,
});

describeAlike('a session that does not hold: 401, one and the same, never treated as anonymous', [
  ['nonsense', ({ token }) => both(token, 'nonsense'), ...nobody],
  ['nonsense by the other name', ({ token }) => longer(token, 'nonsense'), ...nobody],
  ['unknown', ({ token }) => both(token, minted), ...nobody],
  ['mistyped', ({ token, session }) => both(token, mistyped(session)), ...nobody],
  ['cut', ({ token, session }) => both(token, session.slice(0, -1)), ...nobody],
  ['two in one', ({ token, session }) => both(token, `${session}, ${session}`), ...nobody],
  ['two headers', ({ token, session }) => both(token, [session, session]), ...nobody],
  ['behind "Bearer"', ({ token, session }) => both(token, `Bearer ${session}`), ...nobody],
  ['of another site', ({ token, foreign }) => both(token, foreign), ...nobody],
  ['of another site, by the other name', ({ token, foreign }) => longer(token, foreign), ...nobody],
  ['of another site, with a master token', ({ master, foreign }) => both(master, foreign), ...nobody],
  ['of another site that is named too', ({ token, foreign, other }) => named(both(token, foreign), other), ...nobody],
  ['of another site, a user’s', ({ user, foreign, site }) => named(both(user, foreign), site), ...nobody],
  [
    'of the user’s own site elsewhere',
    ({ stranger, session, other }) => named(both(stranger, session), other),
    ...nobody,
  ],
  ['expired', ({ token, over }) => both(token, over), ...nobody],
  ['revoked', ({ token, ended }) => both(token, ended), ...nobody],
  ['an access token', ({ token, master }) => both(token, master), ...nobody],
  ['10 kB', ({ token }) => both(token, 'x'.repeat(10_000)), ...nobody],
]);

describeAlike('two sessions: 400, also where one of them holds', [
  [
    'two customers',
    ({ token, session, second }) => ({ ...both(token, session), ...longer(token, second) }),
    400,
    'bad_request',
  ],
  [
    'with a master token',
    ({ master, session, second }) => ({ ...both(master, session), ...longer(master, second) }),
    400,
    'bad_request',
  ],
  [
    'one that holds, nonsense',
    ({ token, session }) => ({ ...both(token, session), ...longer(token, 'x') }),
    400,
    'bad_request',
  ],
]);

const named = (headers: Headers, site: string | string[]): Headers => ({ ...headers, 'X-Service-Site': site });
const elsewhere = [403, 'forbidden'] as const;

describeAlike('a site’s token that names another: 403, whether there is that site or not', [
  ['another one', ({ token, other }) => named(bearer(token), other), ...elsewhere],
  ['another one, with a master token', ({ master, other }) => named(bearer(master), other), ...elsewhere],
  ['one that there is not', ({ token }) => named(bearer(token), 'no-such-site'), ...elsewhere],
  ['no handle', ({ token }) => named(bearer(token), 'No Handle'), ...elsewhere],
  ['its own in capitals', ({ token, site }) => named(bearer(token), site.toUpperCase()), ...elsewhere],
  ['its own twice', ({ token, site }) => named(bearer(token), [site, site]), ...elsewhere],
  ['its own and another', ({ token, site, other }) => named(bearer(token), `${site},${other}`), ...elsewhere],
  ['*', ({ token }) => named(bearer(token), '*'), ...elsewhere],
]);

describeAlike('a user’s token in a site that is not theirs: 403, whether there is that site or not', [
  ['another one', ({ user, other }) => named(bearer(user), other), ...elsewhere],
  ['one that there is not', ({ user }) => named(bearer(user), 'no-such-site'), ...elsewhere],
  ['no handle', ({ user }) => named(bearer(user), 'No Handle'), ...elsewhere],
  ['__proto__', ({ user }) => named(bearer(user), '__proto__'), ...elsewhere],
  ['constructor', ({ user }) => named(bearer(user), 'constructor'), ...elsewhere],
  ['an injection', ({ user }) => named(bearer(user), "x' or '1'='1"), ...elsewhere],
  ['300 characters', ({ user }) => named(bearer(user), 'x'.repeat(300)), ...elsewhere],
  ['their own twice', ({ user, site }) => named(bearer(user), [site, site]), ...elsewhere],
  ['their own and another', ({ user, site, other }) => named(bearer(user), [site, other]), ...elsewhere],
  ['a session of theirs, too', ({ user, other, foreign }) => named(both(user, foreign), other), ...elsewhere],
]);

describe('a user token without a site: 400', () => {
  test.each<Row>([
    ['a user’s token, no header', ({ user }) => bearer(user), 400, 'bad_request'],
    ['a user’s token, empty', ({ user }) => named(bearer(user), ''), 400, 'bad_request'],
  ])('a user token without a site, or with an empty one, is 400: %s', async (_what, headersOf, status, code) => {
    expect((await refusedBy(app, headersOf(cast), status, code)).length).toBe(doors.length);
  });
});

describe('allowed', () => {
  test.each<[what: string, headers: (cast: Cast) => Headers]>([
    ['an empty session', ({ token }) => both(token, '')],
    ['an empty site', ({ token }) => named(bearer(token), '')],
    ['one session, one empty', ({ token, session }) => ({ ...both(token, session), ...longer(token, '') })],
    ['one empty, one session', ({ token, session }) => ({ ...both(token, ''), ...longer(token, session) })],
    [
      'both session headers that agree',
      ({ token, session }) => ({ ...both(token, session), ...longer(token, session) }),
    ],
    ['its own site', ({ token, site }) => named(bearer(token), site)],
  ])('a request with a valid session or empty headers is answered: %s', (_what, headersOf) =>
    expectAllowed(headersOf(cast)),
  );
});

test('the refused requests have changed nothing', () => expectNothingDone());
