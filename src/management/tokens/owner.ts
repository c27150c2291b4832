// Narrows what the operator lists to a site, to a user, or to both: tokens and memberships name them in the same columns.
import type { Using } from '../../resolvers/context.ts';
import { findSite } from '../sites/find.ts';
import { findUser } from '../users/find.ts';

/** A site by its id and a user by their email address, where they are given. */
export interface OwnerArguments {
  readonly site?: string | undefined;
  readonly user?: string | undefined;
}

/** The columns of the site and the user that are named. */
export interface OwnerColumns {
  readonly siteId?: string;
  readonly userId?: string;
}

/** Finds the site and the user that are named. @throws not_found */
export async function findOwner({ site, user }: OwnerArguments, context: Using<'db'>): Promise<OwnerColumns> {
  return {
    ...(site !== undefined && { siteId: (await findSite(site, context)).id }),
    ...(user !== undefined && { userId: (await findUser(user, context)).id }),
  };
}
