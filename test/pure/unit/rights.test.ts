// The rights of a caller that may not use the site of its request (src/admission/rights.ts): they are made before the site is refused.
import { expect, test } from '@jest/globals';
import { trackRights } from '../../../src/admission/rights.ts';
import type { Identity } from '../../../src/auth/identify.ts';
import type { Statements } from '../../../src/database/statements.ts';

const stranger: Identity = {
  token: {
    id: 'a token',
    rowId: 'a token',
    kind: 'master',
    siteId: 'blog',
    userId: null,
    scopes: null,
    expiresAt: null,
    revokedAt: null,
    sealedKey: null,
  },
  site: null,
  sessionToken: undefined,
  session: null,
  customer: null,
  scopes: null,
  now: new Date(),
};

test('a token whose request names another site has no rights, not even inside a transaction', () => {
  const rights = trackRights(stranger, () => stranger, false);
  expect(() => rights.renew()).toThrow('not a member of it');
  const transaction = Object.create(null) as Statements;
  expect(() => rights.within(transaction, { kind: 'user', customer: null, scopes: null })).toThrow(
    'not a member of it',
  );
});
