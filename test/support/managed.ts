// A site whose managers are asked over REST, and what its answers hold.
import { expect } from '@jest/globals';
import type { TestApp } from './app.ts';
import { as, type Caller } from './as.ts';
import { buildSite, buildUser, type TestSite } from './build.ts';

export interface ManagedSite {
  readonly site: TestSite;
  readonly user: Awaited<ReturnType<typeof buildUser>>;
  readonly master: Caller;
  /** Callers who may not manage it: with a public token, and with a member's. */
  readonly others: readonly Caller[];
}

/** Builds a site with a member. */
export async function buildManaged(app: TestApp): Promise<ManagedSite> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const user = await buildUser(db, { memberOf: [site.id] });
  const master = as(app, { token: site.master });
  const others = [as(app, { token: site.public }), as(app, { token: user.token, site: site.id })];
  return { site, user, master, others };
}

export const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
