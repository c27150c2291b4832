// Finds the user whose email address a command names.
import type { Using } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import { inNfc } from '../../fields/text.ts';
import type { User } from '../../generated/prisma/client.ts';

/** Finds a user by their email address, in the form that is given, or in form C. @throws not_found */
export async function findUser(email: string, { services: { db } }: Using<'db'>): Promise<User> {
  // Addresses that were stored by a release before may have another form than form C.
  const found = await db.user.findMany({ where: { email: { in: [email, inNfc(email)] } } });
  const user = found.find((each) => each.email === email) ?? found[0];
  const hint = `See "entryway user list", or make one: entryway user create --email ${email}`;
  return user ?? fail('not_found', `There is no user "${email}". ${hint}`);
}
