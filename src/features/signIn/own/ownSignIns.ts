// A user's own sign-ins: `GET /me/sign-ins` and `DELETE /me/sign-ins/{id}` (docs/contract.md §14.2, §14.8). They belong to the
// user, and need no site.
import { validate as isUuid } from 'uuid';
import { fail } from '../../../base/errors.ts';
import type { HttpRouter } from '../../../http/messages.ts';
import type { SignInDoor } from '../doorParts.ts';
import type { OwnSignIn } from '../signIn.ts';
import { addOtherMethods, identifyUser } from './user.ts';

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
  addOtherMethods(router, door, { [listPath]: 'GET, HEAD, OPTIONS', [itemPath]: 'DELETE, OPTIONS' });
}

/** A sign-in in REST's JSON. @param current the id of the one whose token the request came with */
function restSignIn({ id, createdAt, lastUsedAt, expiresAt }: OwnSignIn, current: string): object {
  const times = { created_at: createdAt, last_used_at: lastUsedAt, expires_at: expiresAt };
  return { id, ...times, current: id === current };
}
