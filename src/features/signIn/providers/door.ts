// The two paths of a sign-in by an OpenID Connect provider (docs/contract.md §14.8), which browsers open: one leads to the provider,
// and the provider leads back to the other.
import { ServiceError, fail } from '../../../base/errors.ts';
import { prefersPage } from '../../../browser/missing.ts';
import { receive } from '../../../http/ladder.ts';
import type { HttpRequest, HttpResponse, HttpRouter } from '../../../http/messages.ts';
import { answerOtherMethods, readQuery, refuseMethod } from '../../../http/request.ts';
import type { Provider } from '../../../generated/prisma/client.ts';
import { placeCookies, readCookie, readCookieValue, writeCookie, writeSignIn, type CookiePlace } from '../cookies.ts';
import { countOutcome, noteSignIn, type SignInDoor } from '../doorParts.ts';
import { countedNetwork, limitFailures, useOnce } from '../failures.ts';
import type { NewSignIn } from '../stored.ts';
import { attemptSeconds, beginAttempt, readAttempt, sealAttempt } from './attempt.ts';
import { sendFailurePage } from './page.ts';
import { readReturn } from './returnAddress.ts';

const beginPath = '/auth/oidc/:provider';
const callbackPath = `${beginPath}/callback`;

/** The paths that `addProviders` adds. */
export const providerPaths: readonly string[] = [beginPath, callbackPath];

/** A request of a browser to one of the paths. */
interface Opened {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly door: SignInDoor;
  /** The service's address, as the browser has it, without a slash at the end. */
  readonly base: string;
  readonly place: CookiePlace;
}

/** Adds the paths. */
export function addProviders(router: HttpRouter, door: SignInDoor): void {
  const handlers = { [beginPath]: begin, [callbackPath]: finish };
  for (const [path, handle] of Object.entries(handlers)) {
    router.get(path, async (request, response) => {
      receive(request, response, door);
      // A request for headers alone must not use up an attempt.
      if (request.method === 'HEAD') refuseMethod(allowed);
      response.setHeader('Cache-Control', 'no-store');
      response.varyBy(['Accept']);
      const base = door.publicUrl ?? request.origin;
      const place = placeCookies(door.publicUrl, base);
      try {
        await handle({ request, response, door, base, place });
      } catch (error) {
        if (!prefersPage(request)) throw error;
        sendFailurePage(response, error, rootOf(base), door.log);
      }
    });
    router.all(path, (request, response) => answerOtherMethods(request, response, allowed));
  }
}

const allowed = 'GET, OPTIONS';

/** Leads to the provider. */
async function begin(opened: Opened): Promise<void> {
  const { request, response, door, base, place } = opened;
  const { query } = readQuery(request.url, ['return'], false);
  const target = readReturn(query.get('return') ?? `${rootOf(base)}/console`, base);
  const provider = await findProvider(opened);
  const browser = readCookie(request.headersDistinct, 'browser');
  const attempt = beginAttempt(target, browser?.value ?? null, new Date());
  const url = await door.providers.client.begin(provider, attempt, returnOf(base, provider));
  response.setHeader('Set-Cookie', writeCookie('oidc', sealAttempt(attempt, provider), attemptSeconds, place));
  response.setHeader('Location', url);
  response.sendNothing(302);
}

/** Signs in whom the provider has sent back, and leads to where the sign-in was begun. */
async function finish(opened: Opened): Promise<void> {
  const { request, response, door, place } = opened;
  readQuery(request.url, ['code', 'state', 'error', 'iss'], true);
  const provider = await findProvider(opened);
  response.setHeader('Set-Cookie', writeCookie('oidc', '', 0, place));
  const { signIn, target } = await countOutcome(door, () => signInBy(provider, opened));
  noteSignIn(request, { signInId: signIn.signInId, userId: signIn.user.id });
  response.setHeader('Set-Cookie', [...writeSignIn(signIn, place), writeCookie('oidc', '', 0, place)]);
  response.setHeader('Location', target);
  response.sendNothing(302);
}

/** @throws unauthenticated for an attempt that is not this browser's, is over or was used, and as the parts of a sign-in; rate_limited */
async function signInBy(
  provider: Provider,
  { request, door, base }: Opened,
): Promise<{ readonly signIn: NewSignIn; readonly target: string }> {
  const { account: stats, network, headersDistinct: headers } = request;
  const { client, signIns, db } = door.providers;
  const { searchParams, search } = new URL(request.url, base);
  const attempt = readAttempt(headers, provider, new Date());
  if (attempt === null) refuseAttempt();
  if (searchParams.get('state') !== attempt.state) refuseAttempt();
  if (!(await useOnce(db, attempt.state))) refuseAttempt();
  const browser = attempt.browser === null ? null : readCookieValue(attempt.browser, 'browser');
  try {
    const claims = await client.finish(provider, attempt, { redirectUri: returnOf(base, provider), search });
    return { signIn: await signIns.signIn(provider, claims, { stats, network, browser }), target: attempt.target };
  } catch (error) {
    const isFailure = error instanceof ServiceError && error.code === 'unauthenticated';
    if (isFailure) await limitFailures(db, [countedNetwork(network)], () => Promise.resolve(null));
    throw error;
  }
}

/** @throws not_found; unavailable in production without PUBLIC_URL: the header `Host` decides nothing there */
async function findProvider({ request, door }: Opened): Promise<Provider> {
  const provider = await door.providers.signIns.find(request.params['provider'] ?? '');
  if (door.config.production && door.publicUrl === undefined)
    fail('unavailable', 'To sign in by a provider, the service needs PUBLIC_URL.');
  return provider;
}

/** The path of the service, without a slash at the end. */
function rootOf(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, '');
}

/** The address to which the provider sends people back. */
function returnOf(base: string, { id }: Provider): string {
  return `${base}/auth/oidc/${id}/callback`;
}

/** @throws unauthenticated always */
function refuseAttempt(): never {
  fail('unauthenticated', 'This sign-in was begun in another browser, was used, or took too long. Begin again.');
}
