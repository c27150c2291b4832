// Cursors of a list of entries (docs/contract.md §5, §7). Pages that follow one another while entries come and go:
// test/both/lists/moving.test.ts; cursors that were edited or made up: test/once/hostile and test/both/hostile.
import { expect, test } from '@jest/globals';
import type { Caller } from '../../support/as.ts';
import { buildChannel, buildCustomer, buildEntry } from '../../support/build.ts';
import { expectData, expectRefusal } from '../../support/expect.ts';
import { buildScene, suiteApp, type Scene } from '../../support/scene.ts';

const app = await suiteApp();

interface Page {
  readonly nodes: { readonly id: string }[];
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
}

function list(caller: Caller, variables: Record<string, unknown>) {
  return caller.gql<{ entries: Page }>(
    `query ($channel: ID! = "articles", $sort: [String!], $first: Int, $after: String) {
      entries(channel: $channel, sort: $sort, first: $first, after: $after) {
        nodes { id }
        pageInfo { hasNextPage endCursor }
      }
    }`,
    variables,
  );
}

/** A site whose channel `articles` holds some entries. */
async function buildArticles(count: number): Promise<Scene> {
  const scene = await buildScene(app);
  for (let number = 0; number < count; number += 1) await buildEntry(scene.db, scene.channel, { slug: `e${number}` });
  return scene;
}

/** The cursor behind the first entry of a list. */
async function cursorOf(caller: Caller, variables: Record<string, unknown> = {}): Promise<string> {
  const { entries } = expectData(await list(caller, { ...variables, first: 1 }));
  return entries.pageInfo.endCursor ?? '';
}

test('a cursor outlives its entry, and the end of the list', async () => {
  const { db, site, channel, master } = await buildArticles(3);
  const sort = ['id'];
  const { nodes, pageInfo } = expectData(await list(master, { sort, first: 2 })).entries;
  await db.entry.deleteMany({ where: { siteId: site.id, id: nodes[1]?.id ?? '' } });
  const rest = expectData(await list(master, { sort, after: pageInfo.endCursor })).entries;
  expect(rest.nodes.length).toBe(1);
  const { id: later } = await buildEntry(db, channel);
  const more = expectData(await list(master, { sort, after: rest.pageInfo.endCursor })).entries;
  expect(more.nodes).toEqual([{ id: later }]);
});

test('refused: of another channel, another site, another sort, another list', async () => {
  const { db, site, master } = await buildArticles(2);
  const { master: other } = await buildArticles(2);
  const pages = await buildChannel(db, site.id, { id: 'pages' });
  await buildEntry(db, pages);
  await buildCustomer(db, site.id);
  const customers = '{ customers(first: 1) { pageInfo { endCursor } } }';
  const { data } = await master.gql<{ customers: Page }>(customers);
  const sort = ['created_at'];
  const foreign = [
    await cursorOf(master, { channel: 'pages', sort }),
    await cursorOf(other, { sort }),
    await cursorOf(master, { sort: ['-created_at'] }),
    await cursorOf(master, { sort: ['updated_at'] }),
    await cursorOf(master, { sort: ['created_at', 'id'] }),
    data.customers.pageInfo.endCursor,
  ];
  for (const after of foreign) expectRefusal(await list(master, { sort, after }), 'BAD_USER_INPUT');
  expectData(await list(master, { sort, after: await cursorOf(master, { sort }) }));
});

test('refused: of a channel that was deleted and created anew', async () => {
  const { master } = await buildArticles(2);
  const after = await cursorOf(master);
  expectData(await master.gql('mutation { deleteChannel(id: "articles", confirm: "articles") }'));
  expectData(await master.gql('mutation { createChannel(input: { id: "articles" }) { id } }'));
  expectRefusal(await list(master, { after }), 'BAD_USER_INPUT');
});
