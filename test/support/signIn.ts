// Users who sign in: a user with a password, and requests to /auth with the cookies of a browser.
import { v7 as uuidv7 } from 'uuid';
import { hashPassword } from '../../src/features/signIn/passwords.ts';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import type { TestApp } from './app.ts';

export const goodPassword = 'correct horse battery';

let stored: Promise<string> | null = null;

export interface Person {
  readonly id: string;
  readonly email: string;
}

/** A user with `goodPassword`, whose hash is computed once. */
export async function buildPerson(
  db: PrismaClient,
  { email, memberOf = [], roles = ['owner'] }: { email?: string; memberOf?: string[]; roles?: string[] } = {},
): Promise<Person> {
  const id = uuidv7();
  const person = { id, email: email ?? `${id}@example.com` };
  const createdAt = new Date();
  stored ??= hashPassword(goodPassword);
  await db.user.create({ data: { ...person, createdAt } });
  await db.password.create({ data: { userId: id, stored: await stored, setAt: createdAt } });
  for (const siteId of memberOf) {
    await db.membership.create({ data: { siteId, userId: id, roles, createdAt } });
  }
  return person;
}

export interface AuthAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown> & { readonly token: string };
  /** The `Set-Cookie` headers. */
  readonly cookies: readonly string[];
}

/** A browser, which keeps the cookies that it gets. */
export class Browser {
  readonly #app: Pick<TestApp, 'url'>;
  readonly jar = new Map<string, string>();

  constructor(app: Pick<TestApp, 'url'>) {
    this.#app = app;
  }

  /** Sends a POST to /auth. @param headers further ones */
  async post(path: string, body?: unknown, headers: Record<string, string> = {}): Promise<AuthAnswer> {
    const response = await fetch(`${this.#app.url}/auth/${path}`, {
      method: 'POST',
      headers: {
        ...this.#cookies(),
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return this.#read(response);
  }

  /** Opens an address, and follows no redirect. @param headers further ones */
  async open(address: string, headers: Record<string, string> = {}): Promise<AuthAnswer> {
    const response = await fetch(new URL(address, this.#app.url), {
      redirect: 'manual',
      headers: { ...this.#cookies(), ...headers },
    });
    return this.#read(response);
  }

  #cookies(): Record<string, string> {
    const cookie = [...this.jar].map(([name, value]) => `${name}=${value}`).join('; ');
    return cookie === '' ? {} : { Cookie: cookie };
  }

  async #read(response: Response): Promise<AuthAnswer> {
    const text = await response.text();
    const cookies = response.headers.getSetCookie();
    for (const each of cookies) {
      const [name = '', value = ''] = each.split(';', 1)[0]?.split('=') ?? [];
      if (value === '') this.jar.delete(name);
      else this.jar.set(name, value);
    }
    const isJson = response.headers.get('Content-Type')?.includes('json') ?? false;
    const parsed = (isJson ? JSON.parse(text) : { text }) as AuthAnswer['body'];
    return { status: response.status, headers: response.headers, body: parsed, cookies };
  }

  /** Signs in. */
  signIn({ email }: Pick<Person, 'email'>, password = goodPassword): Promise<AuthAnswer> {
    return this.post('sign-in', { email, password });
  }
}

/** Forgets the failures that tests have caused so far: all of them come from one address. */
export async function forgetFailures({ database }: Pick<TestApp, 'database'>): Promise<void> {
  await database.prisma.signInFailure.deleteMany({});
}
