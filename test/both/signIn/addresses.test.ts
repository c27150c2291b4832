// Addresses of users are the same where they differ in the case of ASCII letters alone (docs/contract.md §14.8).
import { beforeAll, expect, test } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { v7 as uuidv7 } from 'uuid';
import { makeCall, type CallInput, type CallName, type CallResult } from '../../../src/cli/operator/operatorCalls.ts';
import { readConfig } from '../../../src/config/config.ts';
import { findUserByEmail, findUsersByEmail } from '../../../src/management/users/find.ts';
import { testDatabase } from '../../support/db.ts';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { afterAll } from '@jest/globals';

let database: PlainDatabase;
beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

async function call<Name extends CallName>(name: Name, input: CallInput<Name>): Promise<CallResult<Name>> {
  const target = { database, limits: readConfig({}).limits, now: new Date() };
  return (await makeCall(name, input, target)) as CallResult<Name>;
}

/** Stores a user as it is spelled. @param isOlder whether the migration found another one with the same letters */
async function store(email: string, isOlder = false): Promise<string> {
  const id = uuidv7();
  await database.prisma.user.create({ data: { id, email, createdAt: new Date(), spelledAlone: isOlder } });
  return id;
}

const find = async (email: string): Promise<string | undefined> => {
  return (await findUserByEmail(email, database.prisma))?.id;
};

test('a user is found whatever the case of ASCII letters, and no second one is made', async () => {
  const name = randomUUID();
  const id = await store(`Ada.${name}@Example.com`);
  expect([await find(`ada.${name}@example.COM`), await find(`ADA.${name}@EXAMPLE.com`)]).toEqual([id, id]);
  await expect(call('createUser', { email: `ada.${name}@example.com`, name: null })).rejects.toThrow('There is a user');
  await expect(store(`ADA.${name}@example.com`)).rejects.toThrow();
});

test('letters beyond ASCII are others in another case', async () => {
  const name = randomUUID();
  const id = await store(`äda.${name}@example.com`);
  expect(await find(`Äda.${name}@example.com`)).toBeUndefined();
  const other = await store(`Äda.${name}@example.com`);
  expect([await find(`äDA.${name}@example.com`), await find(`ÄDA.${name}@example.com`)]).toEqual([id, other]);
});

test('older users whose addresses differ in case alone are each found by their exact spelling, and get no third', async () => {
  const name = randomUUID();
  const [first, second] = [await store(`Bob.${name}@example.com`, true), await store(`BOB.${name}@example.com`, true)];
  expect([await find(`Bob.${name}@example.com`), await find(`BOB.${name}@example.com`)]).toEqual([first, second]);
  expect(await find(`bob.${name}@example.com`)).toBeUndefined();
  await expect(call('createUser', { email: `bob.${name}@example.com`, name: null })).rejects.toThrow('There is a user');
});

test('several are found at once, each by what was sent', async () => {
  const name = randomUUID();
  const [eve, joe] = [await store(`Eve.${name}@example.com`), await store(`joe.${name}@example.com`)];
  const sent = [`eve.${name}@example.com`, `Joe.${name}@example.com`, `nobody.${name}@example.com`];
  const found = await findUsersByEmail(sent, database.prisma);
  expect(sent.map((email) => found.get(email)?.id)).toEqual([eve, joe, undefined]);
});

test('a user with a password gets its hash alone', async () => {
  const email = `${randomUUID()}@example.com`;
  await expect(call('createUser', { email, name: null, stored: 'a password' })).rejects.toThrow(
    'the hash of a password',
  );
});
