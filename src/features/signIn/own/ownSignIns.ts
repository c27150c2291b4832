// A user's own sign-ins: `GET /me/sign-ins` and `DELETE /me/sign-ins/{id}` (docs/contract.md §14.2, §14.8). They belong to the
// user, and need no site.
import { validate as isUuid } from 'uuid';
import { readHeader } from '../../../auth/identify.ts';
import { authenticate } from '../../../auth/tokens.ts';
import { fail } from '../../../base/errors.ts';
import { receive } from '../../../http/ladder.ts';
import type { HttpRequest, HttpResponse, HttpRouter } from '../../../http/messages.ts';
import { answerOtherMethods, readQuery } from '../../../http/request.ts';
import type { SignInDoor } from '../door.ts';
import type { OwnSignIn } from '../signIn.ts';

const listPath = '/me/sign-ins';
const itemPath = `${listPath}/:signIn`;

/** The paths that `addOwnSignIns` adds. */
export const ownSignInPaths: readonly string[] = [listPath, itemPath];

/** Adds the paths. */
export function addOwnSignIns(router: HttpRouter, door: SignInDoor): void {
  router.get(listPath, async (request, response) => {
    const { userId, id } = await identifyUser(request, response, door);
    const listed = await door.signIns.list(userId);
    response.sendJson(200, JSON.stringify(listed.map((each) => restSignIn(each, id))));
  });
  router.delete(itemPath, async (request, response) => {
    const by = await identifyUser(request, response, door);
    const { signIn: id = '' } = request.params;
    const isEnded = isUuid(id) && (await door.signIns.end(id, by, request.account));
    if (!isEnded) fail('not_found', 'You have no such sign-in.');
    response.sendNothing(204);
  });
  const others: Readonly<Record<string, string>> = { [listPath]: 'GET, HEAD, OPTIONS', [itemPath]: 'DELETE, OPTIONS' };
  for (const [path, allow] of Object.entries(others)) {
    router.all(path, (request, response) => {
      receive(request, response, door);
      answerOtherMethods(request, response, allow);
    });
  }
}

/** The user that a request comes from. */
export interface IdentifiedUser {
  readonly userId: string;
  /** The id of its token; of a sign-in's that of the sign-in. */
  readonly id: string;
  readonly isOfSignIn: boolean;
}

/**
 * Authenticates a user by any user token without scopes, and counts the request for it.
 * @throws unauthenticated without a valid token; forbidden for one of a site, and for one with scopes; rate_limited
 */
export async function identifyUser(
  request: HttpRequest,
  response: HttpResponse,
  door: SignInDoor,
): Promise<IdentifiedUser> {
  receive(request, response, door);
  const authorization = readHeader(request.headersDistinct, 'authorization');
  const token = await authenticate(authorization, request.network, door, new Date());
  request.account.noteCaller({ token, customer: null });
  readQuery(request.url, [], false);
  const { userId, id, scopes, sealedKey } = token;
  if (userId === null) fail('forbidden', "Only the token of a user may ask for what is the user's own.");
  if (scopes !== null) fail('forbidden', "A token with scopes may not ask for what is the user's own.");
  response.rateLimit = door.rateLimits.admitOperations(request.counted, token, 1);
  return { userId, id, isOfSignIn: sealedKey !== null };
}

/** A sign-in in REST's JSON. @param current the id of the one whose token the request came with */
function restSignIn({ id, createdAt, lastUsedAt, expiresAt }: OwnSignIn, current: string): object {
  const times = { created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt };
  return { id, ...times, current: id === current };
}
