// The paths under /auth (docs/contract.md §14.8). They belong to the service, and not to a site. Only they take the cookies of the
// console; the API takes headers alone, so that no page of another origin can act by a cookie.
import { z } from 'zod';
import { readHeader } from '../../auth/identify.ts';
import { authenticate, readToken } from '../../auth/tokens.ts';
import { fail, ServiceError } from '../../base/errors.ts';
import type { Config } from '../../config/config.ts';
import { receive } from '../../http/ladder.ts';
import type { HttpRequest, HttpResponse, HttpRouter } from '../../http/messages.ts';
import { answerOtherMethods, readQuery } from '../../http/request.ts';
import { lineOfText, upTo } from '../../fields/text.ts';
import { parseSent, readBody, wrongType } from '../../inputs/sent.ts';
import { isWithoutBody } from '../../rest/mediaTypes.ts';
import { addOwnSignIns, ownSignInPaths } from './own/ownSignIns.ts';
import { addOwnTokens, ownTokenPaths } from './own/ownTokens.ts';
import { refuseIdempotencyKey, smallBodyReader } from './smallBody.ts';
import { placeCookies, readCookie, writeCookie, writeSignIn, type CookiePlace } from './cookies.ts';
import type { SignInToken } from './context.ts';
import { countOutcome, noteSignIn, type SignInDoor } from './doorParts.ts';
import { refuseEnded, type SignInRequest } from './signIn.ts';
import { addProviders, providerPaths } from './providers/door.ts';
import type { FreshToken, IssuedToken, NewSignIn } from './stored.ts';

const getPath = '/auth';

/** The paths that `addSignIn` adds. */
export function listSignInPaths({ signIn: isOn }: Pick<Config, 'signIn'>): readonly string[] {
  return isOn ? [getPath, ...Object.keys(posts), ...providerPaths, ...ownSignInPaths, ...ownTokenPaths] : [];
}

/** Adds the paths, if signing in is on. */
export function addSignIn(router: HttpRouter, door: SignInDoor): void {
  if (!door.config.signIn) return;
  router.get(getPath, async (request, response) => {
    receive(request, response, door);
    readQuery(request.url, [], false);
    const providers = await door.providers.signIns.list();
    response.sendJson(200, JSON.stringify({ password: true, providers }));
  });
  router.all(getPath, (request, response) => answerOtherMethods(request, response, 'GET, HEAD, OPTIONS'));
  addProviders(router, door);
  addOwnSignIns(router, door);
  addOwnTokens(router, door);
  const readJson = smallBodyReader(door.limits, maxBody);
  for (const [path, { isBodyOptional, handle }] of Object.entries(posts)) {
    router.post(path, async (request, response) => {
      receive(request, response, door);
      response.setHeader('Cache-Control', 'no-store');
      refuseForeignOrigin(request, door.publicUrl);
      readQuery(request.url, [], false);
      refuseIdempotencyKey(request, 'under /auth');
      const place = placeCookies(door.publicUrl, readHeader(request.headersDistinct, 'origin'));
      const readMembers = async (): Promise<unknown> => {
        return isBodyOptional && isWithoutBody(request) ? {} : readJson(request, response);
      };
      await handle({ request, response, place, door, readMembers });
    });
    router.all(path, (request, response) => answerOtherMethods(request, response, 'POST, OPTIONS'));
  }
}

/** The maximum size of a body, in bytes: a password has at most 256 characters. */
const maxBody = 16_384;

/**
 * Refuses a request that a page of another origin has sent. Programs send no `Origin`.
 * @throws forbidden if the origin is not that of PUBLIC_URL; or, without one, if its host and port are not `Host`, as they are written
 */
function refuseForeignOrigin({ headersDistinct: headers }: HttpRequest, publicUrl: string | undefined): void {
  const origin = readHeader(headers, 'origin');
  if (origin === undefined) return;
  const isOwn =
    publicUrl === undefined
      ? /^https?:\/\/(.+)$/.exec(origin)?.[1] === readHeader(headers, 'host')
      : origin === new URL(publicUrl).origin;
  if (!isOwn) fail('forbidden', 'A page of another origin cannot sign in here.');
}

/** A POST to one of the paths. */
interface Posted {
  readonly request: HttpRequest;
  readonly response: HttpResponse;
  readonly place: CookiePlace;
  readonly door: SignInDoor;
  /** Reads the JSON of the body. */
  readonly readMembers: () => Promise<unknown>;
}

interface PostPath {
  readonly isBodyOptional: boolean;
  readonly handle: (posted: Posted) => Promise<void>;
}

const text = z.string(wrongType('a text'));
const flag = z.boolean(wrongType('true or false')).default(false);
const signInBody = z.object({ email: text, password: text });
const signOutBody = z.object({ everywhere: flag, tokens: flag });
const passwordBody = z.object({ current: text, password: text });
const linkBody = z.object({
  token: text,
  name: upTo(lineOfText(wrongType('a text')), 255).nullish(),
  password: text.nullish(),
});
const acceptBody = z.object({ token: text });
const noBody = z.object({});

function parseBody<Schema extends z.ZodObject>(schema: Schema, sent: unknown): z.output<Schema> {
  return parseSent(schema, { body: readBody(sent) });
}

const posts: Readonly<Record<string, PostPath>> = {
  '/auth/sign-in': {
    isBodyOptional: false,
    handle: async (posted) => {
      const { email, password } = parseBody(signInBody, await posted.readMembers());
      const { signIns } = posted.door;
      sendSignIn(
        await countOutcome(posted.door, () => signIns.signIn(email, password, describeRequest(posted))),
        posted,
      );
    },
  },
  '/auth/token': {
    isBodyOptional: true,
    handle: async (posted) => {
      const { request, door, place } = posted;
      parseBody(noBody, await posted.readMembers());
      const cookie = readCookie(request.headersDistinct, 'signin');
      const renewed = cookie && (await door.signIns.renew(cookie, request.account));
      if (renewed === null) refuseEndedCookie(place);
      sendToken(renewed, posted);
    },
  },
  '/auth/sign-out': {
    isBodyOptional: true,
    handle: async (posted) => {
      const { request, response, door, place } = posted;
      const signIn = await identifySignIn(posted);
      const also = parseBody(signOutBody, await posted.readMembers());
      await door.signIns.signOut(signIn, also, request.account);
      response.setHeader('Set-Cookie', writeCookie('signin', '', 0, place));
      response.sendNothing(204);
    },
  },
  '/auth/password': {
    isBodyOptional: false,
    handle: async (posted) => {
      const signIn = await identifyToken(posted);
      const { current, password } = parseBody(passwordBody, await posted.readMembers());
      await posted.door.signIns.changePassword(signIn, current, password, describeRequest(posted));
      posted.response.sendNothing(204);
    },
  },
  '/auth/invitation': {
    isBodyOptional: false,
    handle: (posted) =>
      posted.request.headersDistinct['authorization'] === undefined ? useLink(posted) : acceptInvitation(posted),
  },
};

/** Sets a password by a link, or makes the user who is invited; signs in. */
async function useLink(posted: Posted): Promise<void> {
  const { token, name = null, password = null } = parseBody(linkBody, await posted.readMembers());
  const { links } = posted.door;
  sendSignIn(
    await countOutcome(posted.door, () => links.use(hashOfLink(token), { name, password }, describeRequest(posted))),
    posted,
  );
}

/** Accepts an invitation as the user of a sign-in, whose token stays as it is. */
async function acceptInvitation(posted: Posted): Promise<void> {
  const { request, door } = posted;
  const signIn = await identifyToken(posted);
  const { token } = parseBody(acceptBody, await posted.readMembers());
  const user = await door.links.accept(hashOfLink(token), signIn, request.account);
  sendToken({ ...signIn, user }, posted);
}

/** The hash of a link's token; that of none for another text. */
function hashOfLink(text: string): Uint8Array<ArrayBuffer> {
  const link = readToken(text);
  return new Uint8Array(Buffer.from(link?.kind === 'link' ? link.hash : '', 'hex'));
}

function describeRequest({ request }: Posted): SignInRequest {
  const browser = readCookie(request.headersDistinct, 'browser');
  return { stats: request.account, network: request.network, browser };
}

/** The token of a sign-in, as it was sent. */
type SentToken = SignInToken & IssuedToken;

/**
 * Authenticates the token of a sign-in.
 * @throws unauthenticated for no valid token; forbidden for one that is not of a sign-in
 */
async function identifyToken({ request, door }: Posted): Promise<SentToken> {
  const authorization = readHeader(request.headersDistinct, 'authorization');
  const now = new Date();
  const token = await authenticate(authorization, request.network, door, now);
  const { userId, sealedKey, expiresAt } = token;
  if (userId === null || sealedKey === null || expiresAt === null)
    fail('forbidden', 'This needs the token of a sign-in.');
  request.account.noteCaller({ token, customer: null });
  return { signInId: token.id, userId, token: (authorization ?? '').replace(/^Bearer +/i, ''), expiresAt };
}

/** Finds the sign-in of a request, by the token of one or by its cookie. @throws as `identifyToken`; unauthenticated without a living one */
async function identifySignIn(posted: Posted): Promise<SignInToken> {
  const { request, door, place } = posted;
  if (request.headersDistinct['authorization'] !== undefined) return identifyToken(posted);
  const cookie = readCookie(request.headersDistinct, 'signin');
  const signIn = cookie && (await door.signIns.find(cookie));
  if (signIn === null) refuseEndedCookie(place);
  noteSignIn(request, signIn);
  return signIn;
}

/** Refuses a request for its cookie, and takes that away. @throws unauthenticated always */
function refuseEndedCookie(place: CookiePlace): never {
  try {
    refuseEnded();
  } catch (error) {
    if (error instanceof ServiceError) error.headers['Set-Cookie'] = writeCookie('signin', '', 0, place);
    throw error;
  }
}

/** Sends a new sign-in with its cookies. */
function sendSignIn(signIn: NewSignIn, posted: Posted): void {
  posted.response.setHeader('Set-Cookie', writeSignIn(signIn, posted.place));
  sendToken(signIn, posted);
}

function sendToken(
  { token, expiresAt, signInId, user: { id, email, name } }: FreshToken,
  { request, response }: Posted,
): void {
  noteSignIn(request, { signInId, userId: id });
  response.sendJson(200, JSON.stringify({ token, expires_at: expiresAt, user: { id, email, name } }));
}
