// Finds the site that a command names.
import type { Context } from '../../context.ts';
import { fail } from '../../errors.ts';
import type { Site } from '../../generated/prisma/client.ts';

/** Finds a site by its id. @throws not_found */
export async function findSite(id: string, { db }: Pick<Context, 'db'>): Promise<Site> {
  const site = await db.site.findUnique({ where: { id } });
  return (
    site ??
    fail('not_found', `There is no site "${id}". See "entryway site list", or make it: entryway site create ${id}`)
  );
}
