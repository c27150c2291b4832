// One document that asks for the same many times: what it makes the service load and send is bounded (docs/contract.md §5.15).
import { beforeAll, describe, expect, test } from '@jest/globals';
import { buildChannel, buildEntry } from '../../support/build.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp({ ANSWER_LIMIT: '2000000' });
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
}, 120_000);

/** A document with 97 aliases of a selection for the first entries of the list. */
function aliased(first: number, selection: string): string {
  const aliases = Array.from({ length: 97 }, (_, at) => `a${at}: ${selection}`);
  return `{ entries(channel: "many", first: ${first}) { nodes { ${aliases.join(' ')} } } }`;
}

describe('aliases of references', () => {
  const selection = 'references(field: "r", first: 1) { totalCount }';

  test('share what is loaded', async () => {
    const { data } = await scene.visitor.gql<{ entries: { nodes: Record<string, { totalCount: number }>[] } }>(
      aliased(20, selection),
    );
    const counts = data.entries.nodes.flatMap((node) => Object.values(node).map(({ totalCount }) => totalCount));
    expect(counts).toHaveLength(20 * 97);
    expect(new Set(counts)).toEqual(new Set([referencesOfEntry]));
  }, 60_000);

  test('follow no more than 50,000 references', async () => {
    const { errors = [] } = await scene.visitor.gql(aliased(entriesOfList, selection));
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['TOO_COMPLEX']));
  }, 60_000);
});

test('a list of REST follows no more references either', async () => {
  const list = (size: number): Promise<{ status: number; body: Record<string, unknown> }> =>
    scene.visitor.rest('GET', `/channels/many/entries?per_page=${size}`);
  expect((await list(20)).status).toBe(200);
  expect(await list(entriesOfList)).toMatchObject({ status: 400, body: { code: 'too_complex' } });
}, 60_000);

test.each([
  ['fields', 'fields'],
  ["a channel's definition", 'channel { fields { options } }'],
])(
  'an answer of aliases of %s is no larger than ANSWER_LIMIT',
  async (_what, selection) => {
    const { errors = [] } = await scene.visitor.gql(aliased(3, selection));
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['ANSWER_TOO_LARGE']));
  },
  60_000,
);
