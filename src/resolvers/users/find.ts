// Finds the user whose email address a command names.
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { User } from '../../generated/prisma/client.ts';

/** Finds a user by their email address. @throws not_found */
export async function findUser(email: string, { db }: Pick<Context, 'db'>): Promise<User> {
  const user = await db.user.findUnique({ where: { email } });
  const hint = `See "entryway user list", or make one: entryway user create --email ${email}`;
  return user ?? fail('not_found', `There is no user "${email}". ${hint}`);
}
