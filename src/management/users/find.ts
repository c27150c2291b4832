// Finds the users whose email addresses commands, sign-ins and files of sites name.
import type { ReadingClient } from '../../database/client.ts';
import type { Using } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { foldAscii } from '../../fields/email.ts';
import { inNfc } from '../../fields/text.ts';
import type { User } from '../../generated/prisma/client.ts';

type UserClient = Pick<ReadingClient, 'user' | '$queryRaw'>;

/** Finds the user that a command names, in lower case, too, which commands store. @throws not_found */
export async function findUser(email: string, { services: { db } }: Using<'db'>): Promise<User> {
  const hint = `See "entryway user list", or make one: entryway user create --email ${email}`;
  const user = (await findUserByEmail(email, db)) ?? (await findUserByEmail(email.toLowerCase(), db));
  return user ?? fail('not_found', `There is no user "${email}". ${hint}`);
}

/** Finds the user with an address, as `findUsersByEmail`; null if there is none. */
export async function findUserByEmail(email: string, db: UserClient): Promise<User | null> {
  return (await findUsersByEmail([email], db)).get(email) ?? null;
}

/**
 * Finds the users with some addresses: each with the spelling that was sent, as sent or in form C, or else the one whose address
 * differs from it in the case of ASCII letters alone. Older users whose addresses differ in nothing but that are found by their exact
 * spelling alone (docs/contract.md §14.8). @returns those found, by the addresses that were sent
 */
export async function findUsersByEmail(emails: readonly string[], db: UserClient): Promise<ReadonlyMap<string, User>> {
  // Addresses stored by an older release may not be in form C.
  const exact = [...emails, ...emails.map(inNfc)];
  const folded = exact.map(foldAscii);
  const found = await db.$queryRaw<{ id: string; folded: string | null }[]>`
    SELECT u.id::text AS id, CASE WHEN NOT u.spelled_alone THEN lower(u.email COLLATE "C") END AS folded FROM users u
    WHERE u.email = ANY(${exact}::text[]) OR lower(u.email COLLATE "C") = ANY(${folded}::text[]) AND NOT u.spelled_alone`;
  const users = await db.user.findMany({ where: { id: { in: found.map(({ id }) => id) } } });
  const byEmail = new Map(users.map((user) => [user.email, user]));
  const byId = new Map(users.map((user) => [user.id, user]));
  const byFolded = new Map(found.map(({ id, folded: key }) => [key, byId.get(id)]));
  return new Map(
    emails.flatMap((email) => {
      const user = byEmail.get(email) ?? byEmail.get(inNfc(email)) ?? byFolded.get(foldAscii(inNfc(email)));
      return user === undefined ? [] : [[email, user] as const];
    }),
  );
}

/** Whether there is a user with an address, whatever the case of its ASCII letters: no second one is made. */
export async function isAddressTaken(email: string, db: Pick<UserClient, '$queryRaw'>): Promise<boolean> {
  const found = await db.$queryRaw<unknown[]>`
    SELECT 1 AS taken FROM users u WHERE lower(u.email COLLATE "C") = ${foldAscii(email)} LIMIT 1`;
  return found.length > 0;
}
