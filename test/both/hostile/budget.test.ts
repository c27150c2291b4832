// One document that asks for the same many times: what it makes the service load and send is bounded (docs/contract.md §5.15).
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/generated/prisma/client.ts';
import { as } from '../../support/as.ts';
import { buildChannel, buildEntry, buildSite, buildToken } from '../../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ ANSWER_LIMIT: '4000000' });
const entriesOfList = 101;
const referencesOfEntry = 500;
let scene: Scene;

beforeAll(async () => {
  scene = await buildScene(app);
  const { db, site, channel } = scene;
  const targets: string[] = [];
  for (let at = 0; at < referencesOfEntry; at += 1) targets.push((await buildEntry(db, channel)).id);
  const many = await buildChannel(db, site.id, {
    id: 'many',
    fields: [
      { name: 'title', type: 'string' },
      { name: 'r', type: 'references', channel: 'articles' },
      { name: 'kind', type: 'select', options: Array.from({ length: 900 }, (_, at) => `option ${at}`) },
    ],
  });
  for (let at = 0; at < entriesOfList; at += 1) await buildEntry(db, many, { data: { r: targets } });
});

/** A document with 97 aliases of a selection for the first entries of the list. */
function aliased(first: number, selection: string): string {
  const aliases = Array.from({ length: 97 }, (_, at) => `a${at}: ${selection}`);
  return `{ entries(channel: "many", first: ${first}) { nodes { ${aliases.join(' ')} } } }`;
}

describe('aliases of references', () => {
  const selection = 'references(field: "r", first: 1) { totalCount }';

  test('aliases of references load their entries once', async () => {
    const { data } = await scene.visitor.gql<{ entries: { nodes: Record<string, { totalCount: number }>[] } }>(
      aliased(20, selection),
    );
    const counts = data.entries.nodes.flatMap((node) => Object.values(node).map(({ totalCount }) => totalCount));
    expect(counts).toHaveLength(20 * 97);
    expect(new Set(counts)).toEqual(new Set([referencesOfEntry]));
  }, 600_000);

  test('aliases of references follow no more than 50,000 references', async () => {
    const { errors = [] } = await scene.visitor.gql(aliased(entriesOfList, selection));
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['TOO_COMPLEX']));
  }, 600_000);
});

test('an entry that many entries refer to is loaded once, however long the document is', async () => {
  const { db, site, channel } = scene;
  const { id } = await buildEntry(db, channel, { slug: 'shared', data: { body: 'x'.repeat(900_000) } });
  const fields = [{ name: 't', type: 'reference', channel: 'articles' } as const];
  const pointing = await buildChannel(db, site.id, { id: 'pointing', fields });
  for (let at = 0; at < 100; at += 1) await buildEntry(db, pointing, { data: { t: id } });
  const aliases = Array.from({ length: 40 }, (_, at) => `a${at}: reference(field: "t") { slug }`);
  const query = `{ entries(channel: "pointing", first: 100) { nodes { ${aliases.join(' ')} } } }`;
  const { data, errors } = await scene.visitor.gql<{ entries: { nodes: Record<string, { slug: string }>[] } }>(query);
  expect(errors).toBeUndefined();
  const slugs = data.entries.nodes.flatMap((node) => Object.values(node).map(({ slug }) => slug));
  expect([slugs.length, new Set(slugs)]).toEqual([4_000, new Set(['shared'])]);
}, 600_000);

test('a list of REST follows no more references than one of GraphQL', async () => {
  const list = (size: number): Promise<{ status: number; body: Record<string, unknown> }> =>
    scene.visitor.rest('GET', `/channels/many/entries?per_page=${size}`);
  expect((await list(20)).status).toBe(200);
  expect(await list(entriesOfList)).toMatchObject({ status: 400, body: { code: 'too_complex' } });
});

test.each([
  ['fields', 'fields'],
  ["a channel's definition", 'channel { fields { options } }'],
])(
  'an answer of aliases of %s is no larger than ANSWER_LIMIT',
  async (_what, selection) => {
    const { errors = [] } = await scene.visitor.gql(aliased(4, selection));
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['ANSWER_TOO_LARGE']));
  },
  600_000,
);

describe('rows that are too large together', () => {
  let large: Channel;
  beforeAll(async () => {
    const fields = [
      { name: 'body', type: 'text' } as const,
      { name: 'r', type: 'references', channel: 'large' } as const,
    ];
    large = await buildChannel(scene.db, scene.site.id, { id: 'large', createScope: 'public', fields });
    const ids: string[] = [];
    for (let at = 0; at < 10; at += 1) {
      ids.push(
        (await buildEntry(scene.db, large, { slug: `large-${at}`, data: { body: 'x'.repeat(900_000), r: ids } })).id,
      );
    }
  });

  test('rows that are too large together are not read: REST', async () => {
    const refused = await scene.visitor.rest('GET', '/channels/large/entries');
    expect(refused).toMatchObject({ status: 400, body: { code: 'answer_too_large' } });
    const { status, body } = await scene.visitor.rest<object[]>('GET', '/channels/large/entries?per_page=3');
    expect([status, body.length]).toEqual([200, 3]);
  });

  test('rows that are too large together are not read: GraphQL, in one list or in several', async () => {
    const list = (first: number, alias = 'a'): string =>
      `${alias}: entries(channel: "large", first: ${first}) { nodes { id } }`;
    for (const fields of [list(10), `${list(3)} ${list(3, 'b')}`]) {
      const { errors = [] } = await scene.visitor.gql(`{ ${fields} }`);
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['ANSWER_TOO_LARGE']);
    }
    expect((await scene.visitor.gql(`{ ${list(3)} }`)).errors).toBeUndefined();
  });

  test('rows that are too large together are not embedded', async () => {
    const fetched = await scene.visitor.rest('GET', '/channels/large/entries/large-9?include=r');
    expect(fetched).toMatchObject({ status: 400, body: { code: 'answer_too_large' } });
  });

  test('an update of a bulk is refused before it is stored if its rows are too large together', async () => {
    const operations = Array.from({ length: 6 }, (_, at) => ({
      op: 'update',
      id: `large-${at}`,
      data: { body: null },
    }));
    const { body } = await scene.master.rest<{ results: { status: number; error?: { code: string } }[] }>(
      'POST',
      '/channels/large/entries/bulk',
      { body: { operations } },
    );
    expect(body.results.map(({ status }) => status)).toEqual([200, 200, 200, 200, 400, 400]);
    const { data } = await scene.db.entry.findFirstOrThrow({ where: { siteId: scene.site.id, slug: 'large-5' } });
    expect(data).toHaveProperty('body');
  });
});

test('a list of channels loads their definitions only on request, and within the limit', async () => {
  const { id } = await buildSite(scene.db);
  const options = Array.from({ length: 1_000 }, (_, at) => `${at}`.padEnd(250, 'x'));
  for (let at = 0; at < 20; at += 1)
    await buildChannel(scene.db, id, { fields: [{ name: 'kind', type: 'select', options }] });
  const master = as(app, { token: (await buildToken(scene.db, { kind: 'master', siteId: id })).token });
  const { data, errors } = await master.gql<{ channels: object[] }>('{ channels { id } }');
  expect([data.channels.length, errors]).toEqual([20, undefined]);
  const { errors: refused = [] } = await master.gql('{ channels { fields { name } } }');
  expect(new Set(refused.map(({ extensions }) => extensions.code))).toEqual(new Set(['ANSWER_TOO_LARGE']));
});
