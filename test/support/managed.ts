// A site whose managers are asked over REST, and what its answers hold.
import { expect } from '@jest/globals';
import type { TestApp } from './app.ts';
import { as, type Caller, type RestAnswer } from './as.ts';
import { buildSite, buildUser, type TestSite } from './build.ts';
import { expectProblem } from './expect.ts';

export interface ManagedSite {
  readonly site: TestSite;
  readonly user: Awaited<ReturnType<typeof buildUser>>;
  readonly master: Caller;
  readonly visitor: Caller;
  /** A member without a role. */
  readonly member: Caller;
}

/** Builds a site with a member who has no role. */
export async function buildManaged(app: TestApp): Promise<ManagedSite> {
  const db = app.database.prisma;
  const site = await buildSite(db);
  const user = await buildUser(db, { memberOf: [site.id] });
  const master = as(app, { token: site.master });
  const visitor = as(app, { token: site.public });
  return { site, user, master, visitor, member: as(app, { token: user.token, site: site.id }) };
}

/**
 * Expects that a request for which a right is needed is refused to both who lack it: with a public token, which is told no more,
 * and to a member, who is told the right (docs/contract.md §14.1).
 */
export async function expectNoRight(
  { visitor, member }: Pick<ManagedSite, 'visitor' | 'member'>,
  right: string,
  request: (caller: Caller) => Promise<RestAnswer<unknown>>,
): Promise<void> {
  expectProblem(await request(visitor), 'forbidden');
  const answer = await request(member);
  expect([answer.status, answer.body]).toMatchObject([
    403,
    { code: 'forbidden', missing: right, errors: [{ code: 'missing_right', message: expect.stringContaining(right) }] },
  ]);
}

export const time: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
export const uuid: unknown = expect.stringMatching(/^[0-9a-f-]{36}$/);
