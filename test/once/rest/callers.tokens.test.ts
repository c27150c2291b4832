// Access tokens and the site header: each row of docs/contract.md §2's table, and what refuses them.
import { describe, expect, test } from '@jest/globals';
import { as } from '../../support/as.ts';
import { buildEntry, buildToken, buildUser } from '../../support/build.ts';
import { expectEntry, expectProblem } from '../../support/expect.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

const path = '/channels/articles/entries';

describe('allowed', () => {
  test('a user token works in each site of its user, and in no other', async () => {
    const [one, two] = [await buildScene(app), await buildScene(app)];
    await buildEntry(one.db, one.channel, { slug: 'in-one' });
    await buildEntry(two.db, two.channel, { slug: 'in-two' });
    const { token } = await buildUser(one.db, { memberOf: [one.site.id, two.site.id] });
    expectEntry(await as(app, { token, site: one.site.id }).rest('GET', `${path}/in-one`));
    expectEntry(await as(app, { token, site: two.site.id }).rest('GET', `${path}/in-two`));
    expectProblem(await as(app, { token, site: one.site.id }).rest('GET', `${path}/in-two`), 'not_found');
  });
});

describe('denied from the next look-up on', () => {
  test('a token that was revoked or expired since its last use is 401 with WWW-Authenticate', async () => {
    const { db, site } = await buildScene(app);
    for (const data of [{ revokedAt: new Date() }, { expiresAt: new Date() }]) {
      const { id, token } = await buildToken(db, { kind: 'public', siteId: site.id });
      expect((await as(app, { token }).rest('GET', path)).status).toBe(200);
      await db.token.update({ where: { id }, data });
      await new Promise((resolve) => setTimeout(resolve, 1000));
      const refused = await as(app, { token }).rest('GET', path);
      expectProblem(refused, 'unauthenticated');
      expect(refused.headers.get('www-authenticate')).toMatch(/^Bearer\b/);
    }
  });
});
