// Session tokens: the customer that access is checked for (docs/contract.md §2).
import { describe, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildCustomer, buildEntry, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries/hers';

/** A site with the entry `hers`, which nobody but the customer ada may read, and her session. */
async function buildHers() {
  const { db, site, channel } = await buildScene(app, { readScope: 'none' });
  await buildEntry(db, channel, { slug: 'hers', acl: { ada: { read: true } } });
  const { session, sessionId } = await buildCustomer(db, site.id, { id: 'ada' });
  return { db, site, session, sessionId, ada: as(app, { token: site.public, session }) };
}

describe('allowed', () => {
  test('either session header, or both with one token, names the customer with each kind of access token', async () => {
    const { db, site, session } = await buildHers();
    const { token: user } = await buildUser(db, { memberOf: [site.id] });
    for (const [credentials, query] of [
      [{ token: site.public }, ''],
      [{ token: user, site: site.id }, ''],
      [{ token: site.master }, '?use_acl=true'],
    ] as const) {
      const caller = as(app, credentials);
      for (const headers of [
        { 'Session-Token': session },
        { 'X-Service-Session-Token': session },
        { 'Session-Token': session, 'X-Service-Session-Token': session },
      ]) {
        expectEntry(await caller.rest('GET', path + query, { headers }));
      }
      expectProblem(await caller.rest('GET', path + query), 'not_found');
    }
  });
});

describe('denied: 401, never treated as anonymous', () => {
  test('a session that was revoked or expired since its last use is 401', async () => {
    for (const data of [{ revokedAt: new Date() }, { expiresAt: new Date() }]) {
      const { db, site, sessionId, ada } = await buildHers();
      expectEntry(await ada.rest('GET', path));
      await db.session.update({ where: { siteId_id: { siteId: site.id, id: sessionId } }, data });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      expectProblem(await ada.rest('GET', path), 'unauthenticated');
    }
  });
});
