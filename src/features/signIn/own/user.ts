// The user whose own sign-ins and tokens a request is about (docs/contract.md §14.2), and the methods that these paths do not have.
import { readHeader } from '../../../auth/identify.ts';
import { authenticate } from '../../../auth/tokens.ts';
import { fail } from '../../../base/errors.ts';
import { receive } from '../../../http/ladder.ts';
import type { HttpRequest, HttpResponse, HttpRouter } from '../../../http/messages.ts';
import { answerOtherMethods, readQuery } from '../../../http/request.ts';
import type { SignInDoor } from '../doorParts.ts';

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

/** Answers the methods that paths do not have. @param allowed the methods that each has */
export function addOtherMethods(router: HttpRouter, door: SignInDoor, allowed: Readonly<Record<string, string>>): void {
  for (const [path, allow] of Object.entries(allowed)) {
    router.all(path, (request, response) => {
      receive(request, response, door);
      answerOtherMethods(request, response, allow);
    });
  }
}
