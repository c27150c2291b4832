// Narrows the lists of operators to a site, to a user, or to both: tokens and memberships have the same columns for
// them.
import type { Using } from '../../resolvers/context.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

/** The id of a site and the email address of a user, both optional. */
export interface OwnerArguments {
  readonly site?: string | undefined;
  readonly user?: string | undefined;
}

/** The columns of the site and the user. */
export interface OwnerColumns {
  readonly siteId?: string;
  readonly userId?: string;
}

/** Finds the site and the user. @throws not_found */
export async function findOwner({ site, user }: OwnerArguments, context: Using<'db'>): Promise<OwnerColumns> {
  return {
    ...(site !== undefined && { siteId: (await findSite(site, context)).id }),
    ...(user !== undefined && { userId: (await findUser(user, context)).id }),
  };
}
