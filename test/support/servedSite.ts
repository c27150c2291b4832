// A site on a database of its own, and a service on it as a process.
import { expect } from '@jest/globals';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import { buildSite, type TestSite } from './build.ts';
import { serve, type ServiceProcess } from './process.ts';
import { workplace, type Workplace } from './workplace.ts';

export interface ServedSite {
  readonly place: Workplace;
  readonly site: TestSite;
  readonly service: ServiceProcess;
}

/**
 * Makes the site, and starts the service once its content is there.
 * @param build makes the content
 * @param environment variables of the service beside those that name the database
 */
export async function serveSite(
  build: (prisma: PrismaClient, siteId: string) => Promise<unknown>,
  environment: Record<string, string> = {},
): Promise<ServedSite> {
  const place = await workplace();
  const site = await place.inside(async ({ prisma }) => {
    const made = await buildSite(prisma);
    await build(prisma, made.id);
    return made;
  });
  return { place, site, service: await serve({ ...place.environment, ...environment }) };
}

/** Ends the service, which it has to do well, and removes the database. */
export async function endServed({ place, service }: Pick<ServedSite, 'place' | 'service'>): Promise<void> {
  expect(await service.stop()).toBe(0);
  await place.remove();
}
