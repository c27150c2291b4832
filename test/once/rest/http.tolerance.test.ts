// What clients and tools send without meaning harm: empty headers, a merge patch, other letter case, a slash too many.
import { describe, expect, test } from '@jest/globals';
import { mintToken } from '../../../src/auth/tokens.ts';
import { as, send } from '../../support/as.ts';
import { buildToken, buildUser } from '../../support/build.ts';
import { expectProblem } from '../../support/expect.ts';
import { buildOne, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();
const path = '/channels/articles/entries/one';

test('empty headers count as absent', async () => {
  const { site } = await buildOne(app);
  const empty = { 'X-Service-Site': '', 'Session-Token': '', 'X-Service-Session-Token': ' ' };
  const headers = { Authorization: `Bearer ${site.public}`, ...empty };
  expect((await send(app, 'GET', path, { headers })).status).toBe(200);
  const body = JSON.stringify({ query: '{ channels { id } }' });
  const posted = await send(app, 'POST', '/graphql', {
    headers: { ...headers, 'Content-Type': 'application/json' },
    body,
  });
  expect(posted.body).toEqual({ data: { channels: [{ id: 'articles' }] } });
  const { token } = await buildUser(app.database.prisma, { memberOf: [site.id] });
  const user = await send(app, 'GET', path, { headers: { ...empty, Authorization: `Bearer ${token}` } });
  expectProblem(user, 'bad_request');
});

describe('PATCH', () => {
  test('PATCH accepts a merge patch, and says so in Accept-Patch', async () => {
    const { master } = await buildOne(app);
    const accepted = 'application/json, application/merge-patch+json';
    const headers = { 'Content-Type': 'application/merge-patch+json; charset=utf-8' };
    const patched = await master.rest('PATCH', path, { headers, body: { n: 7, m: null } });
    expect([patched.status, patched.body['n']]).toEqual([200, 7]);
    expect((await as(app).rest('OPTIONS', path)).headers.get('accept-patch')).toBe(accepted);
    const refused = await master.rest('PATCH', path, { headers: { 'Content-Type': 'text/plain' }, body: '{}' });
    expectProblem(refused, 'unsupported_media_type');
    expect(refused.headers.get('accept-patch')).toBe(accepted);
  });

  test('other methods refuse a merge patch', async () => {
    const { master } = await buildOne(app);
    const headers = { 'Content-Type': 'application/merge-patch+json' };
    const put = await master.rest('PUT', path, { headers, body: {} });
    expectProblem(put, 'unsupported_media_type');
    expect(put.headers.get('accept-patch')).toBeNull();
    expect((await as(app).rest('OPTIONS', '/channels/articles/entries')).headers.get('accept-patch')).toBeNull();
  });
});

test.each(['TRUE', 'True', 'false', '1', 'FALSE'])('use_acl=%s is accepted', async (value) => {
  const { master } = await buildOne(app);
  expect((await master.rest('GET', `${path}?use_acl=${value}`)).status).toBe(200);
  expect((await master.gql('{ channels { id } }', {}, { path: `/graphql?use_acl=${value}` })).errors).toBeUndefined();
});

describe('a slash too many', () => {
  test.each([
    '/graphql',
    '/livez',
    '/channels',
    '/channels/articles/entries',
    '/channels/articles/entries/count',
    path,
  ])('a slash too many is named as the reason: %s/', async (bare) => {
    for (const slashes of ['/', '//']) {
      const answer = await as(app).rest('GET', bare + slashes);
      expectProblem(answer, 'not_found');
      expect(answer.body['detail']).toBe(`There is nothing at this path. Leave out the slash at its end: ${bare}`);
    }
  });

  test.each(['/nothing/', '/channels/articles/nothing/'])(
    'a slash too many is not named as the reason for %s',
    async (bare) => {
      expect((await as(app).rest('GET', bare)).body['detail']).toBe('There is nothing at this path.');
    },
  );
});

test('/graphql varies by Accept, too', async () => {
  const { visitor } = await buildOne(app);
  const { headers } = await visitor.gql('{ channels { id } }');
  expect(headers.get('vary')?.split(', ')).toEqual(
    expect.arrayContaining(['Accept', 'Accept-Encoding', 'Authorization', 'Session-Token']),
  );
});

describe('401 says with RFC 6750 what is wrong with the token', () => {
  const challenge = async (authorization?: string): Promise<string | null> => {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const answer = await send(app, 'GET', path, { headers });
    expectProblem(answer, 'unauthenticated');
    const body = JSON.stringify({ query: '{ channels { id } }' });
    const posted = await send(app, 'POST', '/graphql', {
      headers: { ...headers, 'Content-Type': 'application/json' },
      body,
    });
    const told = answer.headers.get('www-authenticate');
    expect([posted.status, posted.headers.get('www-authenticate')]).toEqual([401, told]);
    return told;
  };
  const invalid = (description: string): string => `Bearer error="invalid_token", error_description="${description}"`;

  test.each([undefined, '', 'Bearer', 'Bearer ', 'Basic eDp5'])(
    '401 without a token has a challenge without an error: %j',
    async (authorization) => {
      expect(await challenge(authorization)).toBe('Bearer');
    },
  );

  test('401 says that a token is mistyped or expired, and the same for revoked and unknown ones', async () => {
    const { site } = await buildOne(app);
    const bound = { kind: 'public', siteId: site.id } as const;
    const past = new Date(Date.now() - 1_000);
    const build = async (dates: { expiresAt?: Date; revokedAt?: Date }): Promise<string> =>
      `Bearer ${(await buildToken(app.database.prisma, bound, dates)).token}`;
    const mistyped = invalid('The access token is mistyped or cut off: its checksum does not fit.');
    for (const text of [`Bearer ${site.public.slice(0, -1)}`, `Bearer ${site.public}x`, 'Bearer x y']) {
      expect(await challenge(text)).toBe(mistyped);
    }
    expect(await challenge(await build({ expiresAt: past }))).toBe(invalid('The access token has expired.'));
    const notValid = invalid('The access token is not valid.');
    expect(await challenge(`Bearer ${mintToken('public').token}`)).toBe(notValid);
    expect(await challenge(`Bearer ${mintToken('session').token}`)).toBe(notValid);
    expect(await challenge(await build({ revokedAt: past }))).toBe(notValid);
    expect(await challenge(await build({ revokedAt: past, expiresAt: past }))).toBe(notValid);
  });
});
