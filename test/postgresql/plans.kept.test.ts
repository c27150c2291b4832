// Pages of lists without a filter: PostgreSQL plans their statement for the first values on a connection, and no more.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadArticles } from '../../bench/content.mjs';
import { Prisma } from '../../src/generated/prisma/client.ts';
import { as } from '../support/as.ts';
import { openPlanScene, type PlanScene } from '../support/plans.ts';

let scene: PlanScene;

beforeAll(async () => {
  // One connection, which knows what it has prepared.
  scene = await openPlanScene(1);
  await scene.createChannel('articles', 'PUBLIC');
  await loadArticles(scene.client, 'articles', 5_000);
  await scene.client.query('VACUUM ANALYZE');
});
afterAll(() => scene.close());

interface Prepared {
  readonly planned: bigint;
  readonly kept: bigint;
}

/** The statements for pages of a number of rows that the connection has prepared. */
function preparedFor(rows: number): Promise<Prepared[]> {
  const pages = `%e.id DESC%LIMIT ${rows} %`;
  return scene.database.statements.read<Prepared>(Prisma.sql`
    SELECT custom_plans AS planned, generic_plans AS kept FROM pg_prepared_statements
    WHERE statement LIKE ${pages} AND statement LIKE '%FROM entries e%'`);
}

test.each([1, 10, 30, 50])('a page of %i is planned for its values five times', async (size) => {
  const visitor = as(scene.app, { token: scene.site.public });
  const headers = { Prefer: 'count=none' };
  for (let times = 0; times < 9; times += 1) {
    const { body } = await visitor.rest('GET', `/channels/articles/entries?per_page=${size}`, { headers });
    expect(body).toHaveLength(size);
  }
  // The first request comes before the text has a name, and one row more than the page shows whether there is a next one.
  expect(await preparedFor(size + 1)).toEqual([{ planned: '5', kept: '3' }]);
});

test('a page of 51 rows and more names no further relations, which would take longer to plan than they save', async () => {
  const visitor = as(scene.app, { token: scene.site.public });
  for (let times = 0; times < 3; times += 1) await visitor.rest('GET', '/channels/articles/entries?per_page=51');
  const found = await scene.database.statements.read<{ statement: string }>(Prisma.sql`
    SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%e.id DESC%LIMIT 52 %'`);
  expect(found).toHaveLength(1);
  expect(found[0]?.statement).not.toContain('(SELECT FROM');
});
