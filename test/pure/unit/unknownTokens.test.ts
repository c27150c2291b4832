// Tokens that do not exist are looked up in a share of their own: they delay no token that was found before.
import { expect, test } from '@jest/globals';
import { Directory } from '../../../src/auth/directory.ts';
import { authenticate, authenticateCustomer, mintToken, type Credentials } from '../../../src/auth/tokens.ts';
import type { Database } from '../../../src/database/database.ts';
import { Shares } from '../../../src/admission/shares.ts';

const now = new Date();

/** A database of some tokens that answers look-ups when it is told to. */
class StubDatabase {
  readonly tokens = new Map<string, object>();
  readonly #pending: (() => void)[] = [];
  isSilent = false;

  readonly #find = async ({
    where,
  }: {
    where: { hash?: Buffer; siteId_hash?: { hash: Buffer } };
  }): Promise<unknown> => {
    if (this.isSilent) await new Promise<void>((resolve) => this.#pending.push(resolve));
    return this.tokens.get((where.hash ?? where.siteId_hash?.hash)?.toString('hex') ?? '') ?? null;
  };

  readonly nodes = null;

  readonly prisma = {
    token: { findUnique: this.#find },
    session: { findUnique: this.#find },
    customer: { findUnique: () => Promise.resolve({ id: 'ann', roles: [] }) },
  };

  /** Changes cannot be followed, so that nothing is cached and each request is looked up. */
  watch(): Promise<unknown> {
    return Promise.resolve({ isCurrent: () => false });
  }

  /** How many look-ups wait for an answer. */
  get pending(): number {
    return this.#pending.length;
  }

  answerOldest(): void {
    this.#pending.shift()?.();
  }
}

const aTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function build(): Promise<{ database: StubDatabase; credentials: Credentials; valid: string; session: string }> {
  const database = new StubDatabase();
  const directory = await Directory.open(database as unknown as Database);
  const shares = new Shares({ connections: 10, maxWait: 60_000, maxReading: 1_000 });
  const lastUsed = { note: () => undefined } as unknown as Credentials['lastUsed'];
  const [token, session] = [mintToken('public'), mintToken('session')];
  const rights = { id: 'one', siteId: 'site', userId: null, expiresAt: null, revokedAt: null };
  database.tokens.set(Buffer.from(token.hash).toString('hex'), { ...rights, kind: 'public' });
  const held = { id: 'two', customerId: 'ann', expiresAt: new Date(now.getTime() + 60_000), revokedAt: null };
  database.tokens.set(Buffer.from(session.hash).toString('hex'), held);
  return {
    database,
    credentials: { directory, lastUsed, shares },
    valid: `Bearer ${token.token}`,
    session: session.token,
  };
}

/** Sends invented tokens from addresses, ten from each. */
function flood(credentials: Credentials, addresses: number): void {
  for (let at = 0; at < 10 * addresses; at += 1) {
    const text = `Bearer ${mintToken('public').token}`;
    Promise.resolve(authenticate(text, `address ${at % addresses}`, credentials, now)).catch(() => undefined);
  }
}

test('1,000 invented tokens from 100 addresses use two look-ups at a time, and delay no token that was known before', async () => {
  const { database, credentials, valid, session } = await build();
  await authenticate(valid, 'visitor', credentials, now);
  await authenticateCustomer(session, 'site', 'visitor', credentials, now);
  database.isSilent = true;
  flood(credentials, 100);
  await aTurn();
  expect(database.pending).toBe(2);
  database.isSilent = false;
  expect(await authenticate(valid, 'visitor', credentials, now)).toMatchObject({ id: 'one' });
  expect(await authenticateCustomer(session, 'site', 'visitor', credentials, now)).toMatchObject({
    customer: { id: 'ann' },
  });
  expect(database.pending).toBe(2);
});

test('invented sessions use the same two look-ups', async () => {
  const { database, credentials } = await build();
  database.isSilent = true;
  for (let at = 0; at < 100; at += 1) {
    authenticateCustomer(mintToken('session').token, 'site', `address ${at}`, credentials, now).catch(() => undefined);
  }
  await aTurn();
  expect(database.pending).toBe(2);
});

test('an address with many invented tokens delays the first look-up of another address by one look-up', async () => {
  const { database, credentials, valid } = await build();
  database.isSilent = true;
  flood(credentials, 1);
  await aTurn();
  // One of the two turns is free for other addresses.
  expect(database.pending).toBe(1);
  const found = authenticate(valid, 'visitor', credentials, now);
  await aTurn();
  expect(database.pending).toBe(2);
  database.answerOldest();
  database.answerOldest();
  expect(await found).toMatchObject({ id: 'one' });
});
