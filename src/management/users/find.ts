// Finds the user whose email address a command names.
import type { Using } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { inNfc } from '../../fields/text.ts';
import type { User } from '../../generated/prisma/client.ts';

/** Finds a user by their email address, as sent or in form C. @throws not_found */
export async function findUser(email: string, { services: { db } }: Using<'db'>): Promise<User> {
  // Addresses stored by an older release may not be in form C.
  const users = await db.user.findMany({ where: { email: { in: [email, inNfc(email)] } } });
  const user = users.find((each) => each.email === email) ?? users[0];
  const hint = `See "entryway user list", or make one: entryway user create --email ${email}`;
  return user ?? fail('not_found', `There is no user "${email}". ${hint}`);
}
