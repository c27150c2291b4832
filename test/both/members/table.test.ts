// Each cell of the tables of rights and of scopes (docs/access.md), tried in REST, in GraphQL and in the schema of the site: on an entry of
// somebody else and on an own one, in a channel that is closed to everybody.
import { expect, test } from '@jest/globals';
import { as, type Caller } from '../../support/as.ts';
import { buildEntry, buildToken } from '../../support/build.ts';
import { buildHolder, buildMember } from '../../support/members.ts';
import { deeds, rows, scopeDeeds, scopeRows, type Cell, type ScopeDeed } from '../../support/rightsTable.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const at = '/channels/articles/entries';
const acl = { ada: { read: true } };

/** A door: whether it lets a caller do something with the entry of a slug. */
type Door = (by: Caller, deed: ScopeDeed, slug: string) => Promise<boolean>;

const rest: Door = async (by, deed, slug) => {
  const send = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> =>
    by.rest(method, path, body === undefined ? {} : { body });
  const isFine = async (asked: Promise<{ status: number }>): Promise<boolean> => (await asked).status < 300;
  switch (deed) {
    case 'fetch, list': {
      const { body } = await send('GET', `${at}?slug=${slug}`);
      const isFetched = await isFine(send('GET', `${at}/${slug}`));
      expect(Array.isArray(body) ? body.length : 0).toBe(isFetched ? 1 : 0);
      return isFetched;
    }
    case 'create':
      return isFine(send('POST', at, { title: 'New' }));
    case 'update a draft':
    case 'update what is published':
      return isFine(send('PATCH', `${at}/${slug}`, { title: 'Changed' }));
    case 'delete a draft':
    case 'delete what is published':
      return isFine(send('DELETE', `${at}/${slug}`));
    case 'publish, unpublish': {
      const isUnpublished = await isFine(send('POST', `${at}/${slug}/unpublish`));
      expect(await isFine(send('POST', `${at}/${slug}/publish`))).toBe(isUnpublished);
      return isUnpublished;
    }
    case 'set `_acl` of a draft': {
      const { status, body } = await send('PATCH', `${at}/${slug}`, { _acl: acl });
      return status < 300 && Object.hasOwn((body as { _acl: object })._acl, 'ada');
    }
    case 'preview, feed': {
      const isTold = await isFine(send('GET', '/channels/articles/changes'));
      expect(await isFine(send('GET', `${at}?as=anonymous`))).toBe(isTold);
      return isTold;
    }
  }
};

/** A door of GraphQL. @param fields writes the field of a deed; `acl` stands for a list of rules */
const graphql =
  (path: string, fields: Readonly<Record<ScopeDeed, string>>): Door =>
  async (by, deed, slug) => {
    const kind = deed === 'fetch, list' || deed === 'preview, feed' ? 'query' : 'mutation';
    const document = `${kind} { done: ${fields[deed].replaceAll('SLUG', `"${slug}"`)} }`;
    const { data, errors } = await by.gql<{ done: unknown }>(document, {}, { path });
    if (errors !== undefined || data.done === null) return false;
    return deed !== 'set `_acl` of a draft' || JSON.stringify(data.done).includes('"ada"');
  };

const one = 'channel: "articles", id: SLUG';
const rules = '[{ actor: "ada", read: true }]';
const doors: Readonly<Record<string, Door>> = {
  rest,
  graphql: graphql('/graphql', {
    'fetch, list': `entry(${one}) { id }`,
    create: 'createEntry(channel: "articles", input: { fields: { title: "New" } }) { id }',
    'update a draft': `updateEntry(${one}, input: { fields: { title: "Changed" } }) { id }`,
    'update what is published': `updateEntry(${one}, input: { fields: { title: "Changed" } }) { id }`,
    'delete a draft': `deleteEntry(${one})`,
    'delete what is published': `deleteEntry(${one})`,
    'publish, unpublish': `unpublishEntry(${one}) { id }`,
    'set `_acl` of a draft': `updateEntry(${one}, input: { acl: ${rules} }) { acl { actor } }`,
    'preview, feed': 'entries(channel: "articles", as: { anonymous: true }) { nodes { id } }',
  }),
  'the schema of the site': graphql('/graphql/site', {
    'fetch, list': 'articlesEntry(id: SLUG) { id }',
    create: 'createArticles(input: { title: "New" }) { id }',
    'update a draft': 'updateArticles(id: SLUG, input: { title: "Changed" }) { id }',
    'update what is published': 'updateArticles(id: SLUG, input: { title: "Changed" }) { id }',
    'delete a draft': 'deleteArticles(id: SLUG)',
    'delete what is published': 'deleteArticles(id: SLUG)',
    'publish, unpublish': 'publishArticles(id: SLUG) { id }',
    'set `_acl` of a draft': `updateArticles(id: SLUG, input: { acl: ${rules} }) { acl { actor } }`,
    'preview, feed': 'articles(as: { anonymous: true }) { nodes { id } }',
  }),
};

/** A channel that is closed to everybody. */
function buildClosed(): Promise<Scene> {
  return buildScene(app, {
    ...{ createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none', publishable: true },
    fields: [{ name: 'title', type: 'string' }],
  });
}

let number = 0;

/**
 * Tries deeds at each door. @param own the `_owner` of own entries; null for a caller that has none
 * @returns the entries that each deed reaches, by the door
 */
async function tryAll<D extends ScopeDeed>(
  { db, channel }: Scene,
  caller: Caller,
  own: string | null,
  tried: readonly D[],
): Promise<Record<string, Record<D, Cell>>> {
  const found: Record<string, Record<D, Cell>> = {};
  // What was refused has changed nothing: the next deed is tried on the same entry.
  const unchanged = new Map<string, string>();
  for (const [door, tryAt] of Object.entries(doors)) {
    const may = async (deed: D, owner: string | null): Promise<boolean> => {
      const status = deed.endsWith('a draft') ? 'draft' : 'published';
      const kind = `${status} ${owner}`;
      const slug = unchanged.get(kind) ?? `entry-${(number += 1)}`;
      if (!unchanged.has(kind)) await buildEntry(db, channel, { slug, status, owner, data: { title: 'One' } });
      unchanged.set(kind, slug);
      const isDone = await tryAt(caller, deed, slug);
      if (isDone && !['fetch, list', 'create', 'preview, feed'].includes(deed)) unchanged.delete(kind);
      return isDone;
    };
    const cells: [D, Cell][] = [];
    for (const deed of tried) {
      const ofOthers = await may(deed, null);
      const ofOwn = own === null ? ofOthers : await may(deed, own);
      expect([ofOthers, ofOwn]).not.toEqual([true, false]);
      cells.push([deed, ofOthers ? 'all' : ofOwn ? 'own' : '–']);
    }
    found[door] = Object.fromEntries(cells) as Record<D, Cell>;
  }
  return found;
}

/** The same cells at each door. */
function atEachDoor<Cells>(cells: Cells): Record<string, Cells> {
  return Object.fromEntries(Object.keys(doors).map((door) => [door, cells]));
}

test.each(rows)('$name', async ({ isRole, name, rights, cells }) => {
  const scene = await buildClosed();
  const member = isRole ? await buildMember(app, scene, [name]) : await buildHolder(app, scene, rights);
  expect(await tryAll(scene, member, `member:${member.user}`, deeds)).toEqual(atEachDoor(cells));
});

test.each(scopeRows)('the scope $scope of a user token and of a master token', async ({ scope, user, master }) => {
  const scene = await buildClosed();
  const { db, site } = scene;
  const owner = await buildMember(app, scene, ['owner']);
  const bound = { siteId: site.id, scopes: scope };
  const { token } = await buildToken(db, { kind: 'user', userId: owner.user, ...bound });
  const ofUser = await tryAll(scene, as(app, { token, site: site.id }), `member:${owner.user}`, scopeDeeds);
  expect(ofUser).toEqual(atEachDoor(user));
  const { token: ofSite } = await buildToken(db, { kind: 'master', ...bound });
  expect(await tryAll(scene, as(app, { token: ofSite }), null, scopeDeeds)).toEqual(atEachDoor(master));
});
