// Checks go in one order, and the first that fails answers (docs/contract.md §5): 401, 400, site 400 and 403, 404 and 403, 412,
// 422, 409. Each request here has two things wrong, a step apart or further.
import { describe, expect, test } from '@jest/globals';
import { as, type Credentials, type RestOptions } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry, buildSite, buildUser } from '../../support/build.ts';
import { suiteApp } from '../../support/scene.ts';

const app = await suiteApp();

type Who = 'nobody' | 'master' | 'public' | 'user' | 'user without site' | 'master elsewhere' | 'user elsewhere';

/** A site with an entry `one` that anybody reads and master tokens write, and one, `hidden`, that nobody reads. */
async function buildCallers(): Promise<Record<Who, Credentials>> {
  const db = app.database.prisma;
  const [site, other] = [await buildSite(db), await buildSite(db)];
  const channel = await buildChannel(db, site.id, { id: 'articles', publishable: true });
  await buildEntry(db, channel, { slug: 'one' });
  await buildEntry(db, channel, { slug: 'two' });
  await buildEntry(db, channel, { slug: 'hidden', acl: { '*': { read: false } } });
  const { token } = await buildUser(db, { memberOf: [site.id] });
  return {
    nobody: {},
    master: { token: site.master },
    public: { token: site.public },
    user: { token, site: site.id },
    'user without site': { token },
    'master elsewhere': { token: site.master, site: other.id },
    'user elsewhere': { token, site: other.id },
  };
}

const one = '/channels/articles/entries/one';
const hidden = '/channels/articles/entries/hidden';
const nothing = '/channels/articles/entries/nothing';
const list = '/channels/articles/entries';
const stale = { 'If-Match': '"99.x"' };
const malformed = { 'If-Match': 'no tag' };
const text = { 'Content-Type': 'text/plain' };
const misfit = { slug: 'Not a slug' };
const nul = '{"title": "\\u0000"}';
const wrongSession = { 'Session-Token': 'nonsense' };

type Case = [status: number, instead: string, who: Who, method: string, path: string, options: RestOptions];

const cases: Case[] = [
  [401, '400 for a parameter', 'nobody', 'GET', `${list}?x=1`, {}],
  [401, '400 for a body', 'nobody', 'POST', list, { body: '{' }],
  [401, '415', 'nobody', 'POST', list, { body: '{}', headers: text }],
  [401, '413', 'nobody', 'POST', list, { body: { title: 'x'.repeat(2_000_000) } }],
  [401, '400 for If-Match', 'nobody', 'DELETE', one, { headers: malformed }],
  [401, '404', 'nobody', 'GET', nothing, {}],
  [401, '404 for a channel', 'nobody', 'GET', '/channels/nowhere/entries', {}],
  [401, '400 for a parameter, by the session', 'master', 'GET', `${list}?x=1`, { headers: wrongSession }],
  [401, '400 for a body, by the session', 'public', 'POST', list, { body: '{', headers: wrongSession }],
  [401, '404, by the session', 'master', 'GET', nothing, { headers: wrongSession }],
  [401, '403 for the site, by the session', 'master elsewhere', 'GET', one, { headers: wrongSession }],

  [400, '403 for the site: parameter', 'master elsewhere', 'GET', `${list}?_x=1`, {}],
  [400, '403 for the site: use_acl', 'user elsewhere', 'GET', `${list}?use_acl=maybe`, {}],
  [400, '403 for the site: page', 'master elsewhere', 'GET', `${list}?page=0`, {}],
  [400, '403 for the site: sort', 'master elsewhere', 'GET', `${list}?sort=_no_such`, {}],
  [400, '403 for the site: If-Match', 'master elsewhere', 'DELETE', one, { headers: malformed }],
  [400, '403 for the site: body', 'user elsewhere', 'POST', list, { body: '{' }],
  [400, '403 for the site: NUL', 'master elsewhere', 'POST', list, { body: nul }],
  [415, '403 for the site', 'master elsewhere', 'POST', list, { body: '{}', headers: text }],
  [413, '403 for the site', 'user elsewhere', 'POST', list, { body: { title: 'x'.repeat(2_000_000) } }],
  [400, '404: parameter', 'master', 'GET', `${nothing}?x=1`, {}],
  [400, '404: If-Match', 'master', 'PUT', nothing, { body: {}, headers: malformed }],
  [400, '404: NUL', 'master', 'PUT', nothing, { body: nul }],
  [400, '403: NUL', 'public', 'PUT', one, { body: nul }],
  [415, '403', 'public', 'POST', list, { body: '{}', headers: text }],

  [400, '404: no site', 'user without site', 'GET', nothing, {}],
  [403, '404: the site', 'master elsewhere', 'GET', nothing, {}],
  [403, '412: the site', 'master elsewhere', 'PUT', one, { body: misfit, headers: stale }],

  [404, '412', 'master', 'PUT', nothing, { body: {}, headers: stale }],
  [404, '412, hidden', 'public', 'PUT', hidden, { body: {}, headers: stale }],
  [404, '422', 'master', 'PATCH', nothing, { body: misfit }],
  [404, '422, hidden', 'public', 'PATCH', hidden, { body: misfit }],
  [404, '422: the channel', 'master', 'POST', '/channels/nowhere/entries', { body: misfit }],
  [404, '409, hidden', 'public', 'PUT', hidden, { body: { slug: 'two' } }],
  [403, '412', 'public', 'PUT', one, { body: {}, headers: stale }],
  [403, '422', 'public', 'POST', list, { body: misfit }],
  [403, '409', 'public', 'POST', list, { body: { slug: 'one' } }],

  [412, '422', 'master', 'PUT', one, { body: misfit, headers: stale }],
  [412, '409', 'master', 'PUT', one, { body: { slug: 'two' }, headers: stale }],

  [422, '409', 'master', 'POST', list, { body: { slug: 'one', _status: 'live' } }],
  [422, '409', 'master', 'PUT', one, { body: { slug: 'two', _mine: 1 } }],
];

describe('the first check that fails answers', () => {
  test.each(cases)(
    'of two faults the first check answers: %i rather than %s (%s %s %s)',
    async (status, _instead, who, method, path, options) => {
      const callers = await buildCallers();
      const answer = await as(app, callers[who]).rest(method, path, options);
      expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ status })]);
    },
  );

  test('a session of another site is 401 before the site is checked', async () => {
    const callers = await buildCallers();
    const elsewhere = await buildSite(app.database.prisma);
    const { session } = await buildCustomer(app.database.prisma, elsewhere.id);
    const answer = await as(app, { ...callers['master elsewhere'], session }).rest('GET', `${list}?x=1`);
    expect(answer.status).toBe(401);
  });
});
