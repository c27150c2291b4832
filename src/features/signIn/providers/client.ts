// Talks to OpenID Connect providers (docs/contract.md §14.8): each request is bounded in time and size, and goes over https, or to
// this machine. The library is loaded by the first sign-in, so that who has no provider does not pay for it.
import { LRUCache } from 'lru-cache';
import type * as OpenidClient from 'openid-client';
import { fail, ServiceError } from '../../../base/errors.ts';
import { SingleFlight } from '../../../base/singleFlight.ts';
import type { Provider } from '../../../generated/prisma/client.ts';
import type { Attempt } from './attempt.ts';
import { isSafeUrl } from './input.ts';

/** The time that a provider has for an answer, in seconds, and the maximum size of one, in bytes. */
const timeout = 5;
const maxAnswer = 262_144;
/** The time for which what a provider says of itself is kept, in milliseconds. */
const lifetime = 3_600_000;
/** The maximum number of sign-ins by providers that are under way in this process. */
const maxRunning = 100;

/** The provider's claims about whom it has signed in. */
export interface Claims {
  readonly subject: string;
  /** The address; null unless the provider has verified it. */
  readonly email: string | null;
  readonly name: string | null;
}

/** The rest of a sign-in's way: where the provider sends people back, and the query that they came with. */
export interface Returned {
  readonly redirectUri: string;
  readonly search: string;
}

export class ProviderClient {
  readonly #known = new LRUCache<string, Promise<OpenidClient.Configuration>>({ max: 100, ttl: lifetime });
  readonly #discoveries = new SingleFlight<OpenidClient.Configuration>({ kept: this.#known });
  #running = 0;

  /**
   * Makes the address of the provider at which a sign-in begins.
   * @throws unavailable if the provider does not answer as it has to
   */
  begin(provider: Provider, { state, nonce, verifier }: Attempt, redirectUri: string): Promise<string> {
    return this.#run(provider, async (library, configuration) => {
      const url = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge_method: 'S256',
        code_challenge: await library.calculatePKCECodeChallenge(verifier),
      });
      if (!isSafeUrl(url)) throw new TypeError('The authorization endpoint is not at https.');
      return url.href;
    });
  }

  /**
   * Exchanges the code that somebody came back with, and checks the token that it is for.
   * @throws unauthenticated if the provider, or the token, does not confirm the sign-in; unavailable as `begin`
   */
  finish(provider: Provider, attempt: Attempt, { redirectUri, search }: Returned): Promise<Claims> {
    return this.#run(provider, async (library, configuration) => {
      const url = new URL(`${redirectUri}${search}`);
      const tokens = await library.authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: attempt.verifier,
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        idTokenExpected: true,
      });
      const { sub, email, email_verified: isVerified, name } = tokens.claims() ?? refuseToken();
      return {
        subject: sub,
        email: typeof email === 'string' && isVerified === true ? email : null,
        name: typeof name === 'string' ? name : null,
      };
    });
  }

  async #run<Result>(
    provider: Provider,
    work: (library: typeof OpenidClient, configuration: OpenidClient.Configuration) => Promise<Result>,
  ): Promise<Result> {
    if (this.#running >= maxRunning) fail('unavailable', 'Too many sign-ins are under way. Try again.');
    this.#running += 1;
    try {
      const library = await import('openid-client');
      const key = Buffer.from(provider.key).toString('hex');
      const configuration = await this.#discoveries.run(key, () => discover(library, provider));
      return await work(library, configuration).catch((error: unknown) => {
        if (isRefusal(error)) refuseToken();
        throw error;
      });
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      const internal = new Error(`The provider ${provider.id} failed: ${describeFault(error)}`);
      throw new ServiceError('unavailable', {
        detail: 'The provider does not answer as it has to. Try again.',
        internal,
      });
    } finally {
      this.#running -= 1;
    }
  }
}

async function discover(
  library: typeof OpenidClient,
  { issuer, clientId, clientSecret }: Provider,
): Promise<OpenidClient.Configuration> {
  const basic = library.ClientSecretBasic(clientSecret);
  const post = library.ClientSecretPost(clientSecret);
  const authenticate: OpenidClient.ClientAuth = (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const authenticateBy = methods.includes('client_secret_basic') ? basic : post;
    authenticateBy(server, ...rest);
  };
  const url = new URL(issuer);
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- nothing goes over a network: plain http is for this machine alone
  const insecure = url.protocol === 'http:' ? [library.allowInsecureRequests] : [];
  const configuration = await library.discovery(url, clientId, { [library.clockTolerance]: 30 }, authenticate, {
    timeout,
    [library.customFetch]: fetchBounded,
    execute: [library.enableNonRepudiationChecks, ...insecure],
  });
  // For some providers the library takes another issuer, and with it the users of others.
  if (new URL(configuration.serverMetadata().issuer).href !== url.href) throw new TypeError('It has another issuer.');
  return configuration;
}

/** Fetches an answer of a provider. @throws TypeError for an address that may not be asked, and a large answer; and as `fetch` */
async function fetchBounded(url: string, options: OpenidClient.CustomFetchOptions): Promise<Response> {
  if (!isSafeUrl(new URL(url))) throw new TypeError('An endpoint is not at https.');
  const response = await fetch(url, options as RequestInit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > maxAnswer) throw new TypeError('An answer is too large.');
    chunks.push(chunk);
  }
  const { status, headers } = response;
  return new Response(size === 0 ? null : Buffer.concat(chunks), { status, headers });
}

/** The codes of the library for a provider that cannot be reached, or gives no answer of OAuth. */
const faults: ReadonlySet<unknown> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
  'OAUTH_HTTP_REQUEST_FORBIDDEN',
  'OAUTH_UNSUPPORTED_OPERATION',
]);

/** Whether the provider has refused a sign-in, or its token is not good. */
function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, error: refused } = error as { readonly code?: unknown; readonly error?: unknown };
  if (error.name === 'AuthorizationResponseError') return true;
  if (error.name === 'ResponseBodyError') return refused === 'invalid_grant';
  return error.name === 'ClientError' && !faults.has(code);
}

/** Describes an error for the log: its causes may have tokens, and what the provider says of somebody. */
function describeFault(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const { code, error: refused, cause } = error as { code?: unknown; error?: unknown; cause?: { code?: unknown } };
  const parts = [error.name, code, refused, cause?.code].filter((part) => typeof part === 'string');
  return [...parts, ...(error instanceof TypeError ? [error.message] : [])].join(' ');
}

/** @throws unauthenticated always */
function refuseToken(): never {
  fail('unauthenticated', 'The provider has not confirmed the sign-in. Begin again.');
}
