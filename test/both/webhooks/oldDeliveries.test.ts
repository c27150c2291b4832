// The log of deliveries is kept for a time, and is then deleted in batches (docs/contract.md §9.3).
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { PlainDatabase } from '../../../src/database/database.ts';
import { deleteOldDeliveries } from '../../../src/features/webhooks/queue.ts';
import { buildSite, buildWebhook } from '../../support/build.ts';
import { testDatabase } from '../../support/db.ts';

let database: PlainDatabase;

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(() => database.close());

test('deliveries before a time are deleted, of the named sites alone', async () => {
  const { prisma } = database;
  const [site, other] = [await buildSite(prisma), await buildSite(prisma)];
  const build = async (siteId: string, at: string): Promise<string> => {
    const { deliveryId: id } = await buildWebhook(prisma, siteId);
    await prisma.webhookDelivery.update({ where: { siteId_id: { siteId, id } }, data: { at: new Date(at) } });
    return id;
  };
  for (const day of ['01', '02', '03']) await build(site.id, `2020-01-${day}T00:00:00Z`);
  const kept = [await build(site.id, '2020-01-15T00:00:00Z'), await build(other.id, '2020-01-01T00:00:00Z')];
  const sweep = (): Promise<number> => deleteOldDeliveries(prisma, [site.id], new Date('2020-01-15T00:00:00Z'), 2);
  expect([await sweep(), await sweep(), await sweep()]).toEqual([2, 1, 0]);
  const left = await prisma.webhookDelivery.findMany({ where: { siteId: { in: [site.id, other.id] } } });
  expect(left.map(({ id }) => id).sort()).toEqual(kept.sort());
});
