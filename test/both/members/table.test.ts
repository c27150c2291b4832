// Each cell of the table of rights (docs/access.md), tried in REST, in GraphQL and in the schema of the site: on an entry of somebody
// else and on an own one, in a channel that is closed to everybody.
import { expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { buildEntry } from '../../support/build.ts';
import { buildHolder, buildMember } from '../../support/members.ts';
import { deeds, rows, type Cell, type Deed } from '../../support/rightsTable.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ RATE_LIMIT: 'off' });
const at = '/channels/articles/entries';
const acl = { ada: { read: true } };

/** A door: whether it lets a caller do something with the entry of a slug. */
type Door = (by: Caller, deed: Deed, slug: string) => Promise<boolean>;

const rest: Door = async (by, deed, slug) => {
  const send = async (method: string, path: string, body?: object): Promise<{ status: number; body: unknown }> =>
    by.rest(method, path, body === undefined ? {} : { body });
  const isFine = async (asked: Promise<{ status: number }>): Promise<boolean> => (await asked).status < 300;
  switch (deed) {
    case 'fetch, list': {
      const { body } = await send('GET', `${at}?slug=${slug}`);
      const isFetched = await isFine(send('GET', `${at}/${slug}`));
      expect((body as unknown[]).length).toBe(isFetched ? 1 : 0);
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
  }
};

/** A door of GraphQL. @param fields writes the field of a deed; `acl` stands for a list of rules */
const graphql =
  (path: string, fields: Readonly<Record<Deed, string>>): Door =>
  async (by, deed, slug) => {
    const kind = deed === 'fetch, list' ? 'query' : 'mutation';
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
  }),
};

test.each(rows)('$name', async ({ isRole, name, rights, cells }) => {
  const scene = await buildScene(app, {
    ...{ createScope: 'none', readScope: 'none', updateScope: 'none', deleteScope: 'none', publishable: true },
    fields: [{ name: 'title', type: 'string' }],
  });
  const member = isRole ? await buildMember(app, scene, [name]) : await buildHolder(app, scene, rights);
  const tried: Record<string, Record<Deed, Cell>> = {};
  let number = 0;
  for (const [door, tryAt] of Object.entries(doors)) {
    const reach = async (deed: Deed): Promise<Cell> => {
      const may = async (owner: string | null): Promise<boolean> => {
        const slug = `entry-${(number += 1)}`;
        const status = deed.endsWith('a draft') ? 'draft' : 'published';
        await buildEntry(scene.db, scene.channel, { slug, status, owner, data: { title: 'One' } });
        return tryAt(member, deed, slug);
      };
      const ofOthers = await may(null);
      const ofOwn = await may(`member:${member.user}`);
      expect([ofOthers, ofOwn]).not.toEqual([true, false]);
      return ofOthers ? 'all' : ofOwn ? 'own' : '–';
    };
    const found: Partial<Record<Deed, Cell>> = {};
    for (const deed of deeds) found[deed] = await reach(deed);
    tried[door] = found as Record<Deed, Cell>;
  }
  expect(tried).toEqual(Object.fromEntries(Object.keys(doors).map((door) => [door, cells])));
});
