// Identifies the sender of a request. Only this file reads the headers of credentials and of the site (docs/contract.md
// §2).
import type { IncomingMessage } from 'node:http';
import { fail } from '../base/errors.ts';
import { andThen, type PromiseOrValue } from '../base/promiseOrValue.ts';
import { isHandle } from '../rules/names.ts';
import type { CustomerActor } from '../rules/actors.ts';
import type { Member } from '../rules/rights.ts';
import { namesChannels, readScopes, unscoped, type Scopes } from '../rules/scopes.ts';
import type { BriefChannel, Directory, SessionRecord, TokenRecord } from './directory.ts';
import { authenticate, authenticateCustomer, type Credentials } from './tokens.ts';

/** The sender of a request. The token is valid, and so is the session, if the request names one. */
export interface Identity {
  readonly token: TokenRecord;
  /**
   * The site of the request; null if it names none, or one that the caller may not use: `refuseSite` tells these apart.
   */
  readonly site: string | null;
  readonly sessionToken: string | undefined;
  readonly session: SessionRecord | null;
  readonly customer: CustomerActor | null;
  /** The member of the site whose rights are asked; absent for a user without roles, and where a session is sent. */
  readonly member?: Member | undefined;
  /** The scopes of the token; null for none. */
  readonly scopes: Scopes | null;
  /** The time of the authentication. */
  readonly now: Date;
}

/** A request with its client's address, which a trusted proxy may have sent (src/http/messages.ts). */
export type IdentifiedRequest = Pick<IncomingMessage, 'headersDistinct'> & { readonly network: string };

/**
 * Authenticates the caller of a request, by its access token and its session token.
 * @throws unauthenticated; bad_request if two different sessions are named
 */
export function identify(request: IdentifiedRequest, credentials: Credentials): PromiseOrValue<Identity> {
  const now = new Date();
  const { network } = request;
  const headers = request.headersDistinct;
  const authorization = readFilled(headers, 'authorization');
  const short = readFilled(headers, 'session-token');
  const long = readFilled(headers, 'x-service-session-token');
  const named = readFilled(headers, 'x-service-site');
  return andThen(authenticate(authorization, network, credentials, now), (token) => {
    if (short !== undefined && long !== undefined && short !== long) {
      fail('bad_request', 'Session-Token and X-Service-Session-Token name different sessions.');
    }
    const identifyWith = (scopes: Scopes | null): PromiseOrValue<Identity> =>
      andThen(findSite(token, named, credentials.directory), (found) => {
        const isMember = found !== null && typeof found === 'object';
        const site = isMember ? (named ?? null) : found;
        const sessionToken = short ?? long;
        if (sessionToken === undefined) {
          const member = isMember && found.roles.length > 0 ? found : undefined;
          return { token, site, sessionToken, session: null, customer: null, member, scopes, now };
        }
        // A session is looked up in a site. Without one, a malformed session token is still refused.
        const siteOfSession = token.userId === null ? (token.siteId ?? site) : site;
        const signedIn = authenticateCustomer(sessionToken, siteOfSession, network, credentials, now);
        return signedIn.then((signed) => {
          const { session, customer } = signed ?? { session: null, customer: null };
          return { token, site, sessionToken, session, customer, scopes, now };
        });
      });
    if (token.scopes === null) return identifyWith(unscoped);
    return andThen(findScopes(token.scopes, token, credentials.directory), identifyWith);
  });
}

/** Reads the scopes of a token. The channels of its site are looked up only if they name one. */
function findScopes(stored: string, { siteId, userId }: TokenRecord, directory: Directory): PromiseOrValue<Scopes> {
  if (siteId === null || !namesChannels(stored)) return readScopes(stored, userId, noChannels);
  return directory.channels(siteId).then((channels) => readScopes(stored, userId, idsOf(channels)));
}

const noChannels: ReadonlyMap<string, string> = new Map();

/** The ids of listed channels, by their `uid`s: the directory gives the same list until one of them changes. */
const idsByList = new WeakMap<readonly BriefChannel[], ReadonlyMap<string, string>>();

function idsOf(channels: readonly BriefChannel[]): ReadonlyMap<string, string> {
  const known = idsByList.get(channels);
  if (known !== undefined) return known;
  const ids = new Map(channels.map(({ id, uid }) => [uid, id]));
  idsByList.set(channels, ids);
  return ids;
}

/** The headers of a request. */
export type RequestHeaders = IncomingMessage['headersDistinct'];

/**
 * A header's value. The values of a header that was sent more than once are joined, as Node does, and so match nothing.
 */
export function readHeader(headers: RequestHeaders, name: string): string | undefined {
  const sent = headers[name];
  return sent?.length === 1 ? sent[0] : sent?.join(', ');
}

/** Whether a request has neither an access token nor a session token. */
export function isAnonymous({ headersDistinct: headers }: IncomingMessage): boolean {
  const sent = [
    readFilled(headers, 'authorization'),
    readFilled(headers, 'session-token'),
    readFilled(headers, 'x-service-session-token'),
  ];
  return sent.every((value) => value === undefined);
}

/** The token of an authenticated request, as it was sent. */
export function readSecret(headers: RequestHeaders): string {
  return (readHeader(headers, 'authorization') ?? '').split(/ +/).at(-1) ?? '';
}

/** A header's value; undefined if it is empty, because tools with a form for headers send empty ones, too. */
function readFilled(headers: RequestHeaders, name: string): string | undefined {
  const sent = headers[name];
  const value = sent?.length === 1 ? sent[0] : sent?.join(', ');
  return value === '' ? undefined : value;
}

/**
 * The site of a request: that of a site's token; or for a user token the member that its user is in the site that the request names,
 * which is the token's own, if it has one. Null for a site that is not the caller's.
 */
function findSite(
  { siteId, userId }: TokenRecord,
  named: string | undefined,
  directory: Directory,
): PromiseOrValue<string | Member | null> {
  if (userId === null) return named === undefined || named === siteId ? siteId : null;
  if (named === undefined || !isHandle(named) || (siteId !== null && named !== siteId)) return null;
  return directory.member(named, userId);
}

/** Whether a request names no site, and its token is not that of a site. */
export function lacksSite({ userId }: TokenRecord, headers: RequestHeaders): boolean {
  return userId !== null && readFilled(headers, 'x-service-site') === undefined;
}

/**
 * Refuses a request whose site is not the caller's.
 * @throws bad_request if a user token names no site; forbidden otherwise
 */
export function refuseSite(token: TokenRecord, headers: RequestHeaders): never {
  const named = readFilled(headers, 'x-service-site');
  const isOthers = token.siteId !== null && named !== undefined && named !== token.siteId;
  if (token.userId === null || isOthers) fail('forbidden', 'This token belongs to another site.');
  if (named === undefined) fail('bad_request', 'A user token needs the header X-Service-Site.');
  refuseMember();
}

/**
 * Refuses a site that does not exist or of which the user is not a member, with the same answer. @throws forbidden
 * always
 */
export function refuseMember(): never {
  fail('forbidden', 'There is no such site, or the user is not a member of it.');
}
