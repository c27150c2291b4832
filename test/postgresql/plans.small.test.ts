// The plans of lists in small channels: a page is read in its order, and the rest of the channel is not sorted for it.
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { loadArticles } from '../../bench/content.mjs';
import { as } from '../support/as.ts';
import { countVisited, explainRequest, openPlanScene, type PlanScene } from '../support/plans.ts';

const size = 400;

let scene: PlanScene;

beforeAll(async () => {
  scene = await openPlanScene();
  for (const id of ['articles', 'news']) {
    await scene.createChannel(id, 'PUBLIC');
    await loadArticles(scene.client, id, size);
  }
  await scene.client.query('VACUUM ANALYZE');
});
afterAll(() => scene.close());

test.each(['', '&sort=-_publish_at', '&sort=created_at'])(
  'a page of a small channel does not sort the channel: ?per_page=30%s',
  async (sort) => {
    const visitor = as(scene.app, { token: scene.site.public });
    const { plans, answer } = await explainRequest(scene, () =>
      visitor.rest<unknown[]>('GET', `/channels/articles/entries?per_page=30${sort}`, {
        headers: { Prefer: 'count=none' },
      }),
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toHaveLength(30);
    expect(Math.max(...plans.map(countVisited))).toBeLessThan(size / 4);
  },
);
