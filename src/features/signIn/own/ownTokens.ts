// `/me/tokens` and `/me/tokens/{id}` (docs/contract.md §14.2, §14.5): a user's own personal tokens. They belong to the user, and need no
// site.
import { fail } from '../../../base/errors.ts';
import type { HttpRouter } from '../../../http/messages.ts';
import type { SignInDoor } from '../doorParts.ts';
import { parsePersonalToken, type OwnToken } from './personalTokens.ts';
import type { SignInToken } from '../context.ts';
import { refuseIdempotencyKey, smallBodyReader } from '../smallBody.ts';
import { addOtherMethods, identifyUser, type IdentifiedUser } from './user.ts';

const listPath = '/me/tokens';
const itemPath = `${listPath}/:token`;

/** The paths that `addOwnTokens` adds. */
export const ownTokenPaths: readonly string[] = [listPath, itemPath];

/** The maximum size of a body, in bytes: of 200 scopes. */
const maxBody = 65_536;

/** Adds the paths. */
export function addOwnTokens(router: HttpRouter, door: SignInDoor): void {
  const readJson = smallBodyReader(door.limits, maxBody);
  const { signIns } = door;
  router.get(listPath, async (request, response) => {
    const { userId } = await identifyUser(request, response, door);
    response.sendJson(200, JSON.stringify((await signIns.listTokens(userId, null)).map(restOwnToken)));
  });
  router.post(listPath, async (request, response) => {
    const signIn = requireSignIn(await identifyUser(request, response, door));
    refuseIdempotencyKey(request, 'here');
    const settings = parsePersonalToken(await readJson(request, response), new Date());
    const { row, scopes, token } = await signIns.createToken(signIn, settings, request.account);
    response.setHeader('Cache-Control', 'no-store');
    response.sendJson(201, JSON.stringify({ ...restOwnToken({ row, scopes }), token }));
  });
  router.get(itemPath, async (request, response) => {
    const { userId } = await identifyUser(request, response, door);
    const [found = throwNoSuchToken()] = await signIns.listTokens(userId, request.params['token'] ?? '');
    response.sendJson(200, JSON.stringify(restOwnToken(found)));
  });
  router.delete(itemPath, async (request, response) => {
    const signIn = requireSignIn(await identifyUser(request, response, door));
    const isRevoked = await signIns.revokeToken(signIn, request.params['token'] ?? '', request.account);
    if (!isRevoked) throwNoSuchToken();
    response.sendNothing(204);
  });
  addOtherMethods(router, door, {
    [listPath]: 'GET, HEAD, POST, OPTIONS',
    [itemPath]: 'GET, HEAD, DELETE, OPTIONS',
  });
}

/** @throws forbidden for a token that is not of a sign-in */
function requireSignIn({ userId, id, isOfSignIn }: IdentifiedUser): SignInToken {
  if (!isOfSignIn) fail('forbidden', 'Personal tokens are made and revoked only with the token of a sign-in.');
  return { signInId: id, userId };
}

/** @throws not_found always */
function throwNoSuchToken(): never {
  fail('not_found', 'You have no such token.');
}

/** A personal token in REST's JSON. */
function restOwnToken({ row, scopes }: OwnToken): object {
  const { id, kind, name, siteId: site, createdAt, expiresAt, revokedAt, lastUsedAt } = row;
  const times = { created_at: createdAt, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt };
  return { id, kind, name, site, scopes, ...times };
}
