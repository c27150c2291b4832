// The metric of changes that are not delivered yet (docs/contract.md §13.3): counted in the background, while somebody reads it.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { buildWebhook } from '../../support/build.ts';
import { readMetrics } from '../../support/monitoring.ts';
import { buildScene, suiteApp } from '../../support/scene.ts';

const app = await suiteApp({ METRICS_PORT: '0' });

/** Reads the metric again and again, until it is as expected. */
async function untilCounted(stage: string, isExpected: (value: number | undefined) => boolean): Promise<void> {
  for (;;) {
    const samples = (await readMetrics(app)).filter(({ name }) => name === 'entryway_changes_undelivered');
    const values = new Map(samples.map(({ labels, value }) => [labels['stage'], value]));
    if (isExpected(values.get(stage))) return;
    await sleep(50);
  }
}

test('queued events of webhooks are counted until they are delivered', async () => {
  const { db, site } = await buildScene(app);
  await untilCounted('webhooks', (value) => value === 0);
  const { id: webhookId } = await buildWebhook(db, site.id);
  const event = {
    subject: 'articles',
    type: 'channel.updated',
    at: new Date(),
    cursor: '',
    audience: 'public',
  } as const;
  const dueAt = new Date('2999-01-01T00:00:00Z');
  const data = [1, 2, 3].map((place) => ({ ...event, siteId: site.id, webhookId, place, dueAt }));
  await db.webhookEvent.createMany({ data });
  await untilCounted('webhooks', (value) => value === 3);
  await db.webhookEvent.deleteMany({ where: { siteId: site.id } });
  await untilCounted('webhooks', (value) => value === 0);
  expect(await db.webhookEvent.count({ where: { siteId: site.id } })).toBe(0);
});

test('records without a position are counted, and get one a moment later', async () => {
  const { db, site } = await buildScene(app);
  const channelUid = (await db.channel.findFirstOrThrow({ where: { siteId: site.id } })).uid;
  const progress = { isSeen: false };
  const looking = untilCounted('feed', (value) => value !== undefined && value > 0).then(() => {
    progress.isSeen = true;
  });
  // They may be given places at any time, and are then no longer counted.
  while (!progress.isSeen) {
    await db.$executeRaw`INSERT INTO changes (site_id, type, at, channel_uid, channel)
      VALUES (${site.id}, 'channel.updated', now(), ${channelUid}::uuid, 'articles')`;
    await sleep(50);
  }
  await looking;
  await db.$executeRaw`SELECT entryway_place_changes(${site.id})::text`;
  await untilCounted('feed', (value) => value === 0);
  expect(await db.change.count({ where: { siteId: site.id } })).toBeGreaterThan(0);
});
