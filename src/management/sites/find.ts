// Finds the site that a command names.
import type { Context } from '../../resolvers/context.ts';
import { fail } from '../../base/errors.ts';
import type { Site } from '../../generated/prisma/client.ts';

/** Finds a site by its id. @throws not_found; conflict while it is being imported */
export async function findSite(id: string, context: Pick<Context, 'services'>): Promise<Site> {
  const site = await findAnySite(id, context);
  if (site.importing === null) return site;
  fail(
    'conflict',
    `The site "${id}" is being imported, or an import of it was stopped: it is there once "entryway site import" is done.`,
  );
}

/** Finds a site by its id, whether its import is complete or not. @throws not_found */
export async function findAnySite(id: string, { services: { db } }: Pick<Context, 'services'>): Promise<Site> {
  const site = await db.site.findUnique({ where: { id } });
  return (
    site ??
    fail('not_found', `There is no site "${id}". See "entryway site list", or make it: entryway site create ${id}`)
  );
}
