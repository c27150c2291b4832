// Reads of a refused write: a hidden entry costs no more of them than a missing one, so that no time reveals its size.
// Pages and bytes are counted, which do not depend on how busy the machine is.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { withoutLooks } from '../support/app.ts';
import { as, type Caller } from '../support/as.ts';
import { buildChannel, buildCustomer, buildEntry } from '../support/build.ts';
import { explainRequest, openPlanScene, type Node, type PlanScene } from '../support/plans.ts';

let scene: PlanScene;
let bob: Caller;
const scopes = ['private', 'shared', 'public'] as const;

beforeAll(async () => {
  withoutLooks();
  scene = await openPlanScene();
  const { database, app, site, client } = scene;
  const { session } = await buildCustomer(database.prisma, site.id, { id: 'bob' });
  bob = as(app, { token: site.public, session });
  for (const id of scopes) {
    const channel = await buildChannel(database.prisma, site.id, {
      id,
      readScope: 'none',
      updateScope: id,
      deleteScope: id,
    });
    const acl = { '*': { update: false, delete: false }, bob: { update: false, delete: false } };
    // Random enough that PostgreSQL stores it outside of the row, in hundreds of pages.
    const text = Array.from({ length: 60_000 }, () => Math.random().toString(36))
      .join('')
      .slice(0, 600_000);
    await buildEntry(database.prisma, channel, { slug: 'hidden', owner: 'ada', acl, data: { text } });
    await buildEntry(database.prisma, channel, {
      slug: 'bobs',
      owner: 'bob',
      acl: { bob: { update: true, delete: true } },
    });
  }
  await client.query('VACUUM ANALYZE');
});
afterAll(() => scene.close());

/** The pages that a statement read, of tables and what is stored beside them. */
function countPages(node: Node): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}

/** Sends a write that is refused; tells what its statements on entries read and returned. */
async function refuse(method: string, path: string, body?: object): Promise<{ pages: number[]; rows: number[] }> {
  const { plans, answer } = await explainRequest(scene, () => bob.rest(method, path, body ? { body } : {}));
  const results = (answer.body as { results?: { status: number }[] }).results ?? [answer];
  expect(results.map(({ status }) => status)).toEqual([404]);
  return { pages: plans.map(countPages), rows: plans.map((plan) => plan['Actual Rows']) };
}

const writes: [string, (channel: string, slug: string) => Parameters<typeof refuse>][] = [
  ['PATCH', (channel, slug) => ['PATCH', `/channels/${channel}/entries/${slug}`, { title: 'x' }]],
  ['PUT', (channel, slug) => ['PUT', `/channels/${channel}/entries/${slug}`, { title: 'x' }]],
  ['DELETE', (channel, slug) => ['DELETE', `/channels/${channel}/entries/${slug}`]],
];

test.each(writes)(
  'a refused %s of a hidden entry of 600 kB runs the statements of a missing one, and reads one page more',
  async (_, write) => {
    for (const channel of scopes) {
      // What PostgreSQL looks up in its catalogue once is in memory then.
      await refuse(...write(channel, 'hidden'));
      const hidden = await refuse(...write(channel, 'hidden'));
      const missing = await refuse(...write(channel, 'missing'));
      expect(hidden.rows).toEqual(missing.rows);
      for (const [at, pages] of hidden.pages.entries()) expect(pages - (missing.pages[at] ?? 0)).toBeLessThanOrEqual(1);
    }
  },
);

test.each(['update', 'delete'])('a bulk with a refused %s of a hidden entry does not lock the entry', async (op) => {
  const { client } = scene;
  for (const channel of scopes) {
    await client.query('BEGIN');
    try {
      await client.query(`SELECT e.id FROM entries e WHERE e.slug = 'hidden' FOR UPDATE`);
      const operations = [op === 'update' ? { op, id: 'hidden', data: { title: 'x' } } : { op, id: 'hidden' }];
      const { status, body } = await bob.rest<{ results: { status: number }[] }>(
        'POST',
        `/channels/${channel}/entries/bulk`,
        {
          body: { operations },
        },
      );
      expect([status, body.results.map((each) => each.status)]).toEqual([200, [404]]);
    } finally {
      await client.query('ROLLBACK');
    }
  }
});

test('an entry that grants update and delete is updated and deleted, whatever the scope', async () => {
  for (const channel of scopes) {
    const path = `/channels/${channel}/entries/bobs`;
    expect((await bob.rest('PATCH', path, { body: { title: 'x' } })).status).toBe(200);
    expect((await bob.rest('DELETE', path)).status).toBe(204);
  }
});
