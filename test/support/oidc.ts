// A real OpenID Connect provider on this machine, at which somebody is signed in without being asked.
import { generateKeyPairSync } from 'node:crypto';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, jest } from '@jest/globals';
import { makeCall, type CallInput } from '../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../src/config/config.ts';
import type { TestApp } from './app.ts';

export const client = { clientId: 'entryway', clientSecret: 'the secret of a client' };

/** What the provider says of somebody. */
export type Person = Readonly<Record<string, unknown>> & { readonly sub: string };

export interface TestProvider {
  readonly issuer: string;
  /** Who signs in next; null: nobody, as somebody who gives up. */
  person: Person | null;
}

/** Serves until the last test of the file. @returns the address */
export async function suiteServer(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

const privateKey = generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' });

/** Starts a provider that knows the service. @param redirectUris the addresses to which it sends people back */
export async function suiteProvider(redirectUris: readonly string[]): Promise<TestProvider> {
  const listener: { handle: RequestListener } = { handle: () => undefined };
  const issuer = await suiteServer((request, response) => listener.handle(request, response));
  const provided: TestProvider = { issuer, person: null };
  // It warns of what is no matter in tests.
  const warnings = jest.spyOn(console, 'warn').mockReturnValue();
  const { default: Provider } = await import('oidc-provider');
  const provider = new Provider(issuer, {
    clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: redirectUris }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    cookies: { keys: ['a key of the tests'] },
    features: { devInteractions: { enabled: false } },
    findAccount: (_context: unknown, accountId: string) => {
      return { accountId, claims: () => ({ ...provided.person, sub: accountId }) };
    },
    interactions: { url: () => '/interaction' },
    jwks: { keys: [{ ...privateKey, use: 'sig', alg: 'RS256', kid: 'tests' }] },
    loadExistingGrant: async (context: GrantContext) => {
      const { client: known, session } = context.oidc;
      const grant = new context.oidc.provider.Grant({ clientId: known.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    ttl: { Interaction: 60, Session: 60, Grant: 60, IdToken: 60, AccessToken: 60 },
  });
  const serve = provider.callback();
  warnings.mockRestore();
  listener.handle = (request, response) => {
    if (request.url !== '/interaction') {
      serve(request, response);
      return;
    }
    const { person } = provided;
    const result = person === null ? { error: 'access_denied' } : { login: { accountId: person.sub, remember: false } };
    void provider.interactionFinished(request, response, result);
  };
  return provided;
}

interface GrantContext {
  readonly oidc: {
    readonly client: { readonly clientId: string };
    readonly session: { readonly accountId: string };
    readonly provider: {
      readonly Grant: new (of: object) => { addOIDCScope(scope: string): void; save(): Promise<string> };
    };
  };
}

/** Adds a provider to the installation, as a command does. */
export async function addTestProvider(
  app: Pick<TestApp, 'database'>,
  { id, issuer, ...settings }: Pick<CallInput<'addProvider'>, 'id' | 'issuer'> & Partial<CallInput<'addProvider'>>,
): Promise<void> {
  const target = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  await makeCall('addProvider', { id, name: id, issuer, ...client, domains: [], ...settings }, target);
}

/** Removes a provider, as a command does. */
export async function removeTestProvider(app: Pick<TestApp, 'database'>, id: string): Promise<void> {
  const target = { database: app.database, limits: readConfig({}).limits, now: new Date() };
  await makeCall('removeProvider', { id }, target);
}

/** Goes through the provider from an address of it, in a browser of its own. @returns the address at which it sends somebody back */
export async function passProvider(address: string): Promise<string> {
  const jar = new Map<string, string>();
  const { origin } = new URL(address);
  let at = address;
  while (at.startsWith(origin)) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { Cookie: cookie } });
    for (const each of response.headers.getSetCookie()) {
      const [name = '', value = ''] = each.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
      if (value === '') jar.delete(name);
      else jar.set(name, value);
    }
    const location = response.headers.get('Location');
    if (location === null) throw new Error(`The provider answered ${response.status}: ${await response.text()}`);
    at = new URL(location, at).href;
  }
  return at;
}
